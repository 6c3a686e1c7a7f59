"""Reports.

numbers       how numbers are written
view          what is shown of a sweep, whatever the form
published     others' numbers beside ours
traffic       requests over a link, by size, and what else counted them
notes         what a reader is told in words, whatever the form
tables        CSV
markdown      Markdown
drawing       what figures share
values        what figures show of a cell
bars          a group for each graph
lines         by the size of a graph, or by an option
roofline      rates against a bandwidth
request_sizes shares of requests by their size
figures       which figures a sweep has
page          HTML
make          the command: which files are written
"""
