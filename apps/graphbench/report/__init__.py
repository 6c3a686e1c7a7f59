"""Reports: numbers, facts, traffic; then document, which has the tables of every form; then drawing, figures and page, which need
more packages; last make, the command, with Markdown and CSV."""
