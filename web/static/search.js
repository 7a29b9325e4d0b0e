/** Ranks the site's sections by a question: BM25, with more weight for headings and neighbours. */

const SHOWN = 20,
  EXCERPT = 220,
  NEAR = 60; // results; letters of an excerpt, and to a neighbour
const K = 1.2,
  B = 0.6; // as usual: how soon more of a word tells no more, how much length counts
const IN_HEADING = 6,
  IN_TITLE = 2,
  NEIGHBOURS = 1.5; // each counts as so many of it in the text
const NAMED = 2; // a section or page whose whole name is asked for
const ASIDE = 0.5,
  ASIDES = new Set(["Code", "Further reading"]); // they name what others explain
// They ask, and say nothing of what is asked; they count where they stand beside another word.
const ASKING = new Set(
  (
    "a an and are be by can do does for from how i in is it of on or than " +
    "that the there this to we what when where which why with you"
  ).split(" "),
);
const BETWEEN = new Set(["vs", "versus"]); // of two words that are compared

/** The words of a text: numbers without commas, the forms of a word alike. */
function words(text) {
  const plain = text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/(?<=\d)[,_](?=\d{3})/g, "");
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 4 ? word.replace(/(?:ings?|ed|es|s)$/, "").replace(/(.)\1$/, "$1") : word,
  );
}

const count = (list, word) => list.reduce((sum, each) => sum + (each === word), 0);
/** How often `word` stands right before `next`. */
const pairs = (list, word, next) =>
  list.reduce((sum, each, n) => sum + (each === word && list[n + 1] === next), 0);

/** The sections that have words of a question, best first. */
function ranked(question, sections) {
  const asked = words(question).filter((word) => !BETWEEN.has(word));
  const told = asked.filter((word) => !ASKING.has(word));
  const terms = new Set(told.length ? told : asked);
  const all = sections.map(([address, title, heading, text]) => {
    const [body, head] = [words(text), words(heading)];
    const top = words(`${title} ${address.split("#")[0]}`); // encodings/rotary has another title
    return {address, title, heading, text, body, head, top};
  });
  const average = all.reduce((sum, {body}) => sum + body.length, 0) / all.length;
  const often = (section, word) =>
    count(section.body, word) +
    IN_HEADING * count(section.head, word) +
    IN_TITLE * count(section.top, word);
  const scores = all.map(() => 0);
  const add = (frequencies) => {
    const holding = frequencies.filter((each) => each > 0).length;
    const rare = Math.log(1 + (all.length - holding + 0.5) / (holding + 0.5));
    frequencies.forEach((f, n) => {
      const long = 1 - B + (B * all[n].body.length) / average;
      scores[n] += (rare * f * (K + 1)) / (f + K * long);
    });
  };
  for (const word of terms) add(all.map((section) => often(section, word)));
  asked.slice(1).forEach((next, n) => {
    const word = asked[n];
    if (terms.has(word) || terms.has(next))
      add(
        all.map(
          ({body, head}) =>
            NEIGHBOURS * (pairs(body, word, next) + IN_HEADING * pairs(head, word, next)),
        ),
      );
  });
  const isNamed = ({address, head}) =>
    [head, words(address.replace(/.*\/|\.html/g, ""))].some(
      (name) => name.join(" ") === asked.join(" "),
    );
  const weigh = (section) =>
    (ASIDES.has(section.heading) ? ASIDE : 1) * (isNamed(section) ? NAMED : 1);
  return all
    .map((section, n) => ({...section, score: scores[n] * weigh(section)}))
    .filter(({score}) => score > 0)
    .sort((a, b) => b.score - a.score);
}

/** The piece of a text where most of the words asked for stand near one another. */
function excerpt({text}, question) {
  const asked = new Set(words(question));
  const hits = [...text.matchAll(/[\p{L}\p{N},_]+/gu)].flatMap(({0: piece, index}) =>
    words(piece)
      .filter((word) => asked.has(word))
      .map((word) => ({word, index})),
  );
  const near = ({index: from}) =>
    new Set(hits.filter(({index}) => index >= from && index < from + NEAR).map(({word}) => word))
      .size;
  const best = hits.reduce((a, b) => (near(b) > near(a) ? b : a), hits[0] ?? {index: 0});
  const from = Math.max(0, best.index - NEAR),
    begin = from && text.indexOf(" ", from) + 1;
  const end = text.length > begin + EXCERPT ? text.lastIndexOf(" ", begin + EXCERPT) : text.length;
  return `${begin ? "… " : ""}${text.slice(begin, end)}${end < text.length ? " …" : ""}`;
}

function show(question, list) {
  const found = ranked(question, SECTIONS);
  list.replaceChildren(
    ...found.slice(0, SHOWN).map((section) => {
      const item = document.createElement("li"),
        link = document.createElement("a");
      link.href = section.address;
      link.textContent = section.heading;
      const where = document.createElement("p"),
        text = document.createElement("p");
      where.className = "quiet";
      where.textContent = section.title === section.heading ? "" : section.title;
      text.textContent = excerpt(section, question);
      item.append(link, where, text);
      return item;
    }),
  );
  document.getElementById("search-count").textContent = found.length
    ? `${found.length} section${found.length === 1 ? "" : "s"}, the best first`
    : "No section has any of these words.";
}

const question = new URLSearchParams(location.search).get("q");
document.querySelector("form.search input").value = question;
if (question) show(question, document.getElementById("search-results"));
