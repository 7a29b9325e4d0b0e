"""Whose row of a platform's table is whose."""

from helpers.course import worksheets


def test_a_number_counts_for_more_than_a_name() -> None:
    """Who goes by a name that leads to another's row neither has it nor keeps the other from it."""
    rows = [["Participant 7", "Ada Lovelace", "ada@uni.edu", ""]]
    table = worksheets.Table(["Identifier", "Full name", "Email address", "Grade"], rows)
    learners = [
        worksheets.Learner("Ada-Lovelace-7", "7", ""),
        worksheets.Learner("x-ada", "", "ada@uni.edu"),
        worksheets.Learner("Ada-Lovelace", "", ""),
    ]
    for order in (learners, learners[::-1]):
        found, without = worksheets.matched(worksheets.MOODLE, table, order)
        assert found == {0: "Ada-Lovelace-7"}
        assert without == dict.fromkeys(("x-ada", "Ada-Lovelace"), "no row is theirs")
