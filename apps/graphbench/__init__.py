# SPDX-License-Identifier: Apache-2.0
"""graphbench: sweeps of graphrun from a configuration, and reports of what came out.

Modules, lowest first; each imports only from those above it, and says at its head what it is for:

errors, schema, records, options, sample, measures                      what there is to be read, and how it must look
config_schema, overrides, config, plan                                   a configuration, and the list of runs that it makes
process, outcome, store, programs, environment, graphs, sweep            running what a plan still lacks
cells, profile, report, compare                                          what came out; in report: numbers, facts, traffic,
                                                                         document, drawing, figures, page, make
cli                                                                      the command line
"""
