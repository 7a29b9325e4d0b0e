"""What learners and instructors reported to the trackers of other courses' tools, as rows."""

from tests.course.everyday import reported_early, reported_late

ROWS = reported_early.ROWS + reported_late.ROWS
