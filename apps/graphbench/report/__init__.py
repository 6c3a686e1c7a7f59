"""Reports: numbers, facts, traffic; then document, which has the tables of every form, and text, which are Markdown and CSV; then
drawing, figures and page, which need more packages; last make, the command."""
