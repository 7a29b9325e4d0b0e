"""What people read of a graded class: `report` for instructors, `feedback` for learners."""
