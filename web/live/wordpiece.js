/** WordPiece as the uncased BERT has it: the same pieces as `helpers.corpora.wordpiece` gives. */

const SPECIAL = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/;
const REMOVED = /[\p{Cc}\p{Cf}\p{Co}\ufffd]/gu;
const IDEOGRAPH =
  /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;
const PUNCTUATION = /[!-/:-@[-`{-~]|\p{P}/gu;
const LONGEST = 100; // letters; a longer word is [UNK]

/** Lower case, without accents, and what is no letter cleared away. */
function normalised(text) {
  const clean = text
    .replace(/[\t\n\r]/g, " ")
    .replace(REMOVED, "")
    .replace(IDEOGRAPH, " $& ");
  return clean
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
}

/** One word as pieces: the longest that fits, then the longest of the rest. */
function longestMatch(word, ids) {
  const letters = Array.from(word);
  const pieces = [];
  for (let start = 0; start < letters.length;) {
    let end = letters.length > LONGEST ? start : letters.length;
    const prefix = start ? "##" : "";
    while (end > start && !ids.has(prefix + letters.slice(start, end).join(""))) end -= 1;
    if (end === start) return ["[UNK]"];
    pieces.push(prefix + letters.slice(start, end).join(""));
    start = end;
  }
  return pieces;
}

export class WordPiece {
  /** @param {string[]} vocabulary - the pieces; the index of a piece is its id. */
  constructor(vocabulary) {
    this.vocabulary = vocabulary;
    this.ids = new Map(vocabulary.map((piece, id) => [piece, id]));
  }

  /** The ids of a text, without [CLS] and [SEP] around it. */
  encode(text) {
    const pieces = text.split(SPECIAL).flatMap((part) => {
      if (SPECIAL.test(part)) return [part];
      const words = normalised(part).replace(PUNCTUATION, " $& ").split(/\s+/).filter(Boolean);
      return words.flatMap((word) => longestMatch(word, this.ids));
    });
    return pieces.map((piece) => this.ids.get(piece));
  }
}
