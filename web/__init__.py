"""The course as a site: `make site` writes it from the built notebooks, executing none."""
