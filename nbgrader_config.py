"""nbgrader's settings, for `course` and for nbgrader's own commands alike."""

c = get_config()  # noqa: F821  (nbgrader provides it)

c.CourseDirectory.course_id = "order-matters"
c.CourseDirectory.source_directory = "build/source"  # written by `course build`
c.CourseDirectory.release_directory = "build/release"  # notebooks/ is written by `course build`

c.ClearSolutions.code_stub = {"python": "# your lines here\nraise NotImplementedError()"}
c.ClearSolutions.text_stub = "*Your answer here.*"

# A lesson trains small models: the default of 30 s a cell is too short on a busy machine.
c.ExecutePreprocessor.timeout = 120
# A graded kernel has nothing left to say; waiting for it costs a second or two a notebook.
c.ExecutePreprocessor.shutdown_kernel = "immediate"
# It warns of its local connection each time; and what trains need only run, with twenty steps.
dry = "import os; os.environ['ORDER_MATTERS_PROFILE'] = 'dry'"
c.Execute.extra_arguments = ["--log-level=ERROR", f"--IPKernelApp.exec_lines={dry}"]

# A lesson's cells that only train, measure or draw are not run.
c.Autograde.autograde_preprocessors.insert(0, "helpers.course.intake.lesson.skip")
# What goes into autograded/ holds no hidden test, and nothing that runs in formgrader.
c.Autograde.autograde_preprocessors.append("helpers.course.pages.sanitize.sanitize")

# A learner's feedback is our page: no hidden test, and nothing in it can run.
c.GenerateFeedback.exporter_class = "helpers.course.pages.feedback.Feedback"
c.GenerateFeedback.preprocessors = []  # the page takes grades itself
