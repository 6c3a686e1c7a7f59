"""Reports: numbers (how they are written), view (what is shown of a sweep), published (others' numbers beside ours), tables (CSV and
Markdown), figures (SVG and PNG), page (HTML)."""
