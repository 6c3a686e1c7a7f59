# SPDX-License-Identifier: Apache-2.0
"""The figures and tables of the papers beside ours: a table of them, the runs that they need, and a page."""
