"""graphbench: sweeps of graphrun from a configuration, and reports of what came out.

Modules, lowest first; each imports only from those above it:

errors        what ends the program, with its exit code
schema        JSON, and nothing beyond it; JSON schemas, and a sentence for what does not fit one
records       what rows must hold
sizes         sizes as graphrun writes and reads them
sample        medians, spreads, and the bootstrap
measures      numbers that are read from rows
expected      what others have published
options       graphrun's options as configurations write them
config_schema what a configuration must look like
overrides     what the command line changes of one
config        a configuration: graphs, algorithms, systems, options; and the file it is read from
plan          the product of a configuration as a list of runs, in the order in which they take turns
process       one process under a deadline
outcome       what a finished process says about its run
store         the folder of a sweep: rows that survive a kill
programs      graphrun and its neighbours: where they are and what they know
environment   the machine a sweep runs on
graphs        files that runs read, made before the first of them
sweep         runs what a plan still lacks
cells         rows of one graph, algorithm and system, taken together
profile       what a profiler says of the bytes that rows have counted
report        the page, and tables as CSV and Markdown
compare       two sweeps: what became faster or slower, and how that is printed
cli           the command line
"""
