"""Reports.

numbers   how numbers are written
facts     where and how the numbers came about, and what to know before any of them
traffic   requests over a link, by size, and what else counted them
document  the tables, whatever the form
text      these as Markdown; CSV
drawing   what figures share
figures   which figures a sweep has, and how each kind is drawn
page      HTML
make      the command: which files are written
"""
