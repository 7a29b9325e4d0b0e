"""The tool that builds, releases and grades the course; nothing above imports it."""
