# SPDX-License-Identifier: Apache-2.0
"""The most important pages of a crawl as a table. usage: ranks_table.py GRAPH [ROWS], such as
datasets/data/NotreDame_www.mtx"""

import sys

import graphrun

web = graphrun.open(sys.argv[1])
ranks = web.pagerank(tolerance=1e-8, certify=True)
table = ranks.to_pandas().rename_axis("page").assign(links=web.degrees())
print(table.nlargest(int(sys.argv[2]) if len(sys.argv) > 2 else 10, "rank"))
print(f"{ranks.trial.iterations} sweeps in {ranks.trial.time_ms:.1f} ms, true residual {ranks.certificate['residual']:.1g}")
