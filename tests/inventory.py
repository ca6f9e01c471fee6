"""Inventory of everything public and of what calls print, to compare two versions by.

Run from the root of the repository, with ``src`` on the path:

``python -m tests.inventory names OUT.json``
    writes every public name, option, measure, plot, file form and exit code;
``python -m tests.inventory outputs OUT_DIR --data DIR [--renames FILE]``
    makes the calls of the tables below and writes what each says, one file per call;
``python -m tests.inventory compare OLD NEW [--renames FILE]``
    says what is missing, new or changed between two of either, and exits with 1 where a name is
    missing, or a number differs, that no line of FILE explains;
``python -m tests.inventory digest OUT_DIR OUT.txt``
    writes a line per call: id, exit code, SHA-256 of its text and of its numbers.

A line of FILE has a kind, the old name, the new one (or ``-``) and a reason, with tabs between.
What a line says of a name, it says of the parts of the name, too, unless they have lines of their
own. Of an output, the kind is ``output`` and the old name is the id of the call; where a call from
Python takes more than another name, the kind is ``call`` and the new name is the call as it is now.
"""

# ruff: noqa: T201 -- a script that prints

import argparse
import base64
import bz2
import gzip
import hashlib
import html
import inspect
import json
import lzma
import os
import pkgutil
import re
import shlex
import shutil
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import chdir
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import numpy as np
from click.testing import CliRunner

SHORT = {
    "{D}": "demo/qrels.txt demo/runs",
    "{d}": "demo/qrels.txt demo/few",
    "{T}": "trec8/qrels.gz trec8/runs",
    "{t}": "trec8/qrels.gz trec8/few",
    "{L}": "dl/qrels.gz dl/runs",
    "{l}": "dl/qrels.gz dl/few",
    "{M}": "--scores scores/one.csv --scores scores/two.csv -m one -m two",
    "{m}": "--scores scores/one.csv",
}
"""What the words in braces stand for in a call: judgments and runs, many (D) or few (d)."""

RUNS = {
    "trec8": "1 CL99XTopt Flab8atd2 INQ601 Mer8Adtd2 READWARE2 Sab8A3 UB99SW UT803b acsys8alo2 "
    "apl8p fub99a ibms99a isa25 kuadhoc nttd8ale orcl99man plt8ah2 ric8tpn tno8t2 uwmt8a2",
    "dl": "ICT-BERT2 TUW19-p1-f TUW19-p3-f bm25base_ax_p bm25base_p bm25tuned_ax_p idst_bert_p1 "
    "idst_bert_pr1 ms_duet_passage p_bert runid2 srchvrs_ps_run1",
}
FEW = {
    "demo": "bm25-1 dfr-3 maverick-1 prf-1 ql-2",
    "trec8": "CL99XTopt READWARE2 UB99SW fub99a isa25 orcl99man",
    "dl": "ICT-BERT2 bm25base_p idst_bert_p1 ms_duet_passage p_bert",
}
"""The runs that are taken of each collection; those of ``few`` are for calls that are slow."""

CALLS = """
version: --version
root-help: --help
unknown-command: evalute {D}
unknown-option: evaluate {D} --measures AP
missing-file: evaluate nowhere.txt demo/runs
swapped-files: evaluate demo/runs/prf-1.run demo/qrels.txt
wrong-file: evaluate demo/qrels.txt tiny/bad.run
misspelt-measure: evaluate {D} -m ndgc@10
wrong-parameter: evaluate {D} -m RBP(p=2)
wrong-universe-depth: evaluate {D} -m AP --universe-depth 50
wrong-choice: compare {D} --test fisher
wrong-number: compare {D} --alpha 2
duplicates-error: evaluate tiny/qrels.txt tiny/twice.run -m P@2
unknown-run: compare {D} --baseline nobody
unknown-topic: show {D} --topic 999
no-runs: evaluate demo/qrels.txt

evaluate-default: evaluate {D}
evaluate-many: evaluate {D} -m AP,P@5,R@20,RR,RBP(p=0.95),ERR@20,INST,bpref,Judged@10,Rprec,Q
evaluate-sets: evaluate {D} -m SetP,SetR,SetF,SetAP,NumRel,NumRet,Success@5,Hits@3,Accuracy@5
evaluate-more: evaluate {D} -m nDCG,DCG@10,infAP,F1@10,G,IPrec@0.1,AvgIPrec,Utility,Compat,SP
evaluate-nerr: evaluate {d} -m NERR8@10,NERR9@10,NERR10@10,NERR11@10,nRBP,tRBP(p=0.8)@10,INSQ,BPM@20
evaluate-graded: evaluate {d} -m aAP,binG,enDCG@10,nDCGRel,RnDCG,SDCG@10,nP@10,SetRelP,Unjudged@20
evaluate-gains: evaluate {d} -m P(rel=2)@5,AP(rel=2),RBP(p=0.5,rel=2)@10
    -m "RBP(p=0.95,gain='linear')"
evaluate-per-topic: evaluate {d} -m nDCG@10 --per-topic
evaluate-naive: evaluate {D} -m AP@50,nDCG@20 --bounds naive
evaluate-none: evaluate {D} -m AP --bounds none
evaluate-run-universe: evaluate {D} -m nDCG@10 --universe run
evaluate-corpus: evaluate {D} -m nDCG@10,RBP --universe corpus
evaluate-universe-depth: evaluate {D} -m P@10,RBP --universe-depth all
evaluate-treatment: evaluate {D} -m nDCG@10 --treatment condensed
evaluate-treatment-model: evaluate {d} -m P@10,RBP --treatment model
evaluate-residual: evaluate {D} -m nDCG@10 --residual matched
evaluate-averages: evaluate {D} -m AP --average geometric --average harmonic --average median
evaluate-grades: evaluate {D} -m nDCG@10 --grades 0,1,2,3,4
evaluate-topics-common: evaluate {D} -m P@10 --topics common
evaluate-topics-file: evaluate {D} -m P@10 --topics lists/topics.txt
evaluate-ties: evaluate tiny/qrels.txt tiny/runs -m P@2,AP --ties docid
evaluate-ties-rank: evaluate tiny/qrels.txt tiny/runs -m P@2,AP --ties rank
evaluate-ties9: evaluate tiny/qrels.txt tiny/runs -m P@2,AP --ties trec_eval9
evaluate-duplicates: evaluate tiny/qrels.txt tiny/twice.run -m P@2 --duplicates best
evaluate-lenient: evaluate tiny/qrels.txt tiny/bad.run -m P@2 --lenient
evaluate-negative: evaluate tiny/negative.txt tiny/runs -m P@2,AP --negative 0
evaluate-tsv: evaluate {d} -m P@5 --format tsv
evaluate-csv: evaluate {d} -m P@5 --format csv
evaluate-md: evaluate {d} -m P@5 --format md
evaluate-latex: evaluate {d} -m P@5 --format latex
evaluate-html: evaluate {d} -m P@5 --format html
evaluate-quiet: evaluate {d} -m P@5 --quiet
evaluate-file: evaluate {d} -m nDCG@10,AP --per-topic -o out/scores.tsv --provenance out/p.json
evaluate-file-exists: evaluate {d} -m nDCG@10 -o out/scores.tsv
evaluate-latex-file: evaluate {d} -m nDCG@10 -o out/scores.tex
evaluate-json-file: evaluate {d} -m nDCG@10 -o out/scores.json
evaluate-safe-csv: evaluate {d} -m nDCG@10 -o out/scores.csv --safe-csv
evaluate-plot: evaluate {d} -m nDCG@10 --plot out/leaderboard.svg
evaluate-stream: evaluate {d} -m nDCG@10 --stream
evaluate-trec8: evaluate {T} -m AP,nDCG@10,P@10,RBP(p=0.8),bpref
evaluate-trec8-per-topic: evaluate {t} -m AP --per-topic
evaluate-trec8-deep: evaluate {t} -m nDCG,R@1000,INST,infAP,Q
evaluate-trec8-sampled: evaluate trec8/prels.gz trec8/few -m statAP,HT(P@10)
evaluate-trec8-strata: evaluate trec8/strata.gz trec8/few -m xinfAP,infNDCG,iP@10
evaluate-dl: evaluate {L} -m nDCG@10,AP(rel=2),RR(rel=2)@10,ERR@10
evaluate-dl-naive: evaluate {L} -m RBP(p=0.95) --bounds naive --per-topic

estimate-default: estimate {d}
estimate-all: estimate {d} -m nDCG@10 --treatment all
estimate-some: estimate {D} -m P@10,RBP --treatment model,exact,condensed
estimate-per-topic: estimate {d} -m P@10 --treatment model --per-topic
estimate-pooled: estimate {d} -m nDCG@10 --treatment model --pooled bm25-1,prf-1 --pool-depth 10
estimate-bias: estimate {d} -m P@10 --treatment bias-systems,bias-topics --common 401,402,403,404
estimate-groups: estimate {D} -m nDCG@10 --treatment model --groups names
estimate-adaptive: estimate {d} -m nDCG@10 --treatment model --adaptive --seed 7
estimate-fits: estimate {d} -m RBP --treatment weibull,zipf,linear,constant,static,hybrid
estimate-smoothing: estimate {d} -m P@10 --treatment smoothing,interpolation,background
estimate-bootstrap: estimate {d} -m nDCG@10 --treatment bootstrap,naive
estimate-plot: estimate {d} -m nDCG@10 --plot out/estimates.svg
estimate-trec8: estimate {t} -m P@10 --treatment model,condensed,nonrelevant,exact
estimate-dl: estimate {l} -m nDCG@10 --treatment model,condensed,bootstrap

compare-default: compare {d}
compare-baseline: compare {D} -m nDCG@10 --baseline bm25-1
compare-details: compare {d} -m P@10 --baseline bm25-1 --details
compare-wilcoxon: compare {d} -m AP@50 --test wilcoxon --correction bh
compare-sign: compare {d} -m P@10 --test sign --correction bonferroni
compare-randomization: compare {d} -m P@10 --test randomization --resamples 500 --correction none
compare-bootstrap: compare {d} -m P@10 --test bootstrap --resamples 500 --correction by
compare-studentized: compare {d} -m P@10 --test studentized --resamples 500 --correction sidak
compare-pooled-t: compare {d} -m P@10 --test pooled-t --correction holm-sidak
compare-welch: compare {d} -m P@10 --test welch-t --correction hochberg
compare-tukey: compare {d} -m P@10 --correction tukey
compare-dunnett: compare {d} -m P@10 --baseline bm25-1 --correction dunnett
compare-one-sided: compare {d} -m P@10 --alternative greater --alpha 0.1
compare-less: compare {d} -m P@10 --alternative less --test wilcoxon
compare-interval-basic: compare {d} -m P@10 --test bootstrap --interval basic --resamples 500
compare-interval-percentile: compare {d} -m P@10 --test bootstrap --interval percentile
    --resamples 500
compare-interval-bca: compare {d} -m P@10 --test bootstrap --interval bca --resamples 500
compare-interval-studentized: compare {d} -m P@10 --test studentized --interval studentized
    --resamples 500
compare-interval-random: compare {d} -m P@10 --test randomization --interval randomization
    --resamples 500
compare-interval-median: compare {d} -m P@10 --test sign --interval median
compare-interval-wrong: compare {d} -m P@10 --interval bca
compare-interval-hl: compare {d} -m P@10 --test wilcoxon --interval hodges-lehmann
compare-geometric: compare {d} -m AP --mean geometric
compare-prior-pool: compare {d} -m nDCG@10 --prior pool --draws 100
compare-prior-run: compare {d} -m nDCG@10 --prior pool+run --draws 100 --seed 3
compare-prior-votes: compare {d} -m P@5 --prior multiplicity --draws 100
compare-groups: compare {d} -m nDCG@10 --groups lists/groups.txt --pool-depth 10
compare-scores: compare {M} --top 5
compare-scores-rows: compare {m} -m one --rows systems
compare-plot: compare {d} -m nDCG@10 --plot out/pairs.svg
compare-file: compare {d} -m P@10 --baseline bm25-1 -o out/pairs.tsv
compare-trec8: compare {t} -m AP --baseline READWARE2
compare-trec8-many: compare {T} -m P@10 --top 30
compare-dl: compare {l} -m nDCG@10 --test randomization --resamples 1000
compare-dl-universe: compare {l} -m nDCG@10 --universe corpus --topics common

report-demo: report {d} -m nDCG@10 -m P@10 -o out/page.html
report-baseline: report {d} -m RBP --baseline bm25-1 --groups names --title Mine -o out/page2.html
report-dl: report {l} -m nDCG@10 -o out/dl.html --seed 2
table-default: table {d} -m nDCG@10,AP
table-daggers: table {d} -m nDCG@10 --baseline bm25-1 --marks daggers --uncertainty both
table-latex: table {d} -m nDCG@10,P@5 --format latex --digits 4
table-percent: table {d} -m P@10 --percent --uncertainty topics --marks none --format html
table-judgments: table {l} -m nDCG@10,RBP --uncertainty judgments --test wilcoxon --format md
table-scores: table {M} --correction bh
table-file: table {d} -m nDCG@10 --baseline bm25-1 -o out/results.tex
diversity-default: diversity tiny/subtopics.txt tiny/runs
diversity-all: diversity tiny/subtopics.txt tiny/runs -m alpha_nDCG@5,ERR_IA@5,StRecall@2,NRBP
diversity-per-topic: diversity tiny/subtopics.txt tiny/runs --per-topic
diversity-whole-topics: diversity {d}
standardize-default: standardize {d}
standardize-per-topic: standardize {d} -m AP --per-topic --mapping normal
standardize-save: standardize {D} -m AP --save out/factors.json --smoothing extremes --mapping t1
standardize-factors: standardize {d} -m AP --factors out/factors.json --mapping t1
standardize-published: standardize {t} -m AP --factors scores/trec8.adhoc.mn.csv
standardize-reference: standardize {D} -m P@10 --reference bm25-1 --reference ql-2 --smoothing self
standardize-prior: standardize {D} -m P@10 --smoothing prior --prior 0.4,0.2,3 --mapping probit
standardize-background: standardize {m} -m one --smoothing background
audit-demo: audit {D}
audit-tiny: audit tiny/qrels.txt tiny/runs
audit-trec8: audit {T}
audit-dl: audit {L}
show-demo: show demo/qrels.txt demo/runs/prf-1.run demo/runs/maverick-1.run --topic 422
show-deep: show {d} --topic 401 --depth 20 --top 50
show-dl: show {l} --topic 19335 --depth 5
trec-eval-default: trec_eval demo/qrels.txt demo/runs/prf-1.run
trec-eval-q: trec_eval -q -m map -m ndcg_cut.10 -m P.10 demo/qrels.txt demo/runs/prf-1.run
trec-eval-complete: trec_eval -c -l 2 -m all_trec demo/qrels.txt demo/runs/ql-2.run
trec-eval-options: trec_eval -n -J -M 50 -N 10000 -m official demo/qrels.txt demo/runs/ql-2.run
trec-eval-like9: trec_eval --like 9 -m all_trec demo/qrels.txt demo/runs/dfr-3.run
trec-eval-trec8: trec_eval -m all_trec trec8/qrels.gz trec8/runs/READWARE2.gz
trec-eval-dl: trec_eval -q -c -l 2 -m all_trec dl/qrels.gz dl/runs/p_bert.gz
trec-eval-file: trec_eval -q -m map demo/qrels.txt demo/runs/prf-1.run --output out/a.txt
trec-eval-file2: trec_eval -q -m map demo/qrels.txt demo/runs/bm25-1.run --output out/b.txt
compare-trec-eval-scores: compare --scores out/a.txt --scores out/b.txt -m map
trec-eval-wrong: trec_eval -m nothing demo/qrels.txt demo/runs/bm25-1.run

next-default: next {d} --budget 30
next-pair: next {d} --goal pair:prf-1,maverick-1 --budget 50 --batch 5
next-top: next {d} --goal top:1 --budget 30
next-run: next {d} --goal run:maverick-1 --budget 30 -m P@5
next-common: next {D} --goal common:3 --depth 5
next-residual: next {d} --goal residual --budget 30 -m RBP
next-even: next {d} --goal even --budget 30 --topics judged
next-leaders: next {d} --goal leaders --budget 30
next-orders: next {d} --order mtc --budget 20
next-hedge: next {d} --order hedge --budget 20 --depth 20 --judged-topics
next-thompson: next {d} --order thompson --budget 20 --seed 5
next-mtf: next {d} --order move-to-front --budget 20
next-file: next {d} --goal pair:prf-1,maverick-1 --budget 20 -o out/to-judge.tsv
next-dl: next {l} --budget 40 --order blend
merge-plain: merge demo/qrels.txt lists/grades.txt -o out/merged.qrels
merge-conflict: merge tiny/qrels.txt tiny/negative.txt -o out/conflict.qrels
merge-highest: merge tiny/qrels.txt tiny/negative.txt --conflicts highest -o out/highest.qrels
merge-mean: merge tiny/qrels.txt tiny/negative.txt --conflicts mean -o out/mean.qrels
convert-csv: convert tiny/qrels.txt --to csv -o out/c.csv
convert-jsonl: convert tiny/qrels.txt --to jsonl -o out/c.jsonl
convert-book: convert tiny/qrels.txt --to quepid-book --topics tiny/texts.tsv -o out/book.json
convert-quepid: convert tiny/qrels.txt --to quepid-csv --topics tiny/texts.tsv -o out/quepid.csv
convert-opensearch: convert tiny/qrels.txt --to opensearch --topics tiny/texts.tsv -o out/o.json
convert-elastic: convert tiny/qrels.txt --to elasticsearch --index mine -o out/e.json
convert-rre: convert tiny/qrels.txt --to rre --topics tiny/texts.tsv -o out/rre.json
convert-doccano: convert tiny/qrels.txt --to doccano -o out/doccano.jsonl
convert-back: convert out/book.json --to trec --topics tiny/texts.tsv -o out/back.qrels
convert-back-csv: convert out/c.csv --from csv --to trec -o out/back2.qrels
pool-list: pool demo/few --depth 5
pool-left-out: pool demo/runs --depth 10 --leave-out maverick --groups lists/groups.txt
pool-grades: pool demo/few --depth 10 --grades-from demo/qrels.txt -o out/pool.qrels
pool-thin: pool demo/few --depth 10 --grades-from demo/qrels.txt --rate 0.5 -o out/thin.qrels
sample-list: sample demo/few --design depths:5=1,30=0.4 -o out/sample.tsv
sample-grades: sample demo/few --design depths:5=1,30=0.4 --grades-from demo/qrels.txt
    -o out/sampled.qrels
sample-rbp: sample demo/few --design rbp:20,p=0.9,depth=50 --seed 3 --grades-from demo/qrels.txt
    -o out/rbp.prels
sample-wrong: sample demo/few --design deep -o out/wrong.tsv
evaluate-sampled: evaluate out/sampled.qrels demo/few -m xinfAP,infNDCG,iP@10,statAP,HT(P@10)
evaluate-sampled-rbp: evaluate out/rbp.prels demo/few -m HT(RBP(p=0.95)),statAP,HT(P@10)
compare-sampled: compare out/sampled.qrels demo/few -m HT(P@30) --baseline bm25-1
merge-sampled: merge out/sampled.qrels demo/qrels.txt -o out/no.qrels

power-topics: power --delta 0.05 --sigma 0.13
power-one-sided: power --delta 0.03 --sigma 0.1 --one-sided --alpha 0.01
power-delta: power --topic-count 6980 --sigma 0.3
power-power: power --topic-count 50 --sigma 0.2 --delta 0.05
power-runs: power {D} -m AP,nDCG@10 --power 0.9
power-plot: power {d} -m AP --plot out/power.svg
power-scores: power {M}
power-trec8: power {T} -m P@10
power-wrong: power --delta 0.05
design-numbers: design --delta 0.05 --sigma 0.13 --simulations 200
design-runs: design {d} --delta 0.1 --simulations 100 --depths 2,10 --budgets 100,1000
design-depths: design {d} --delta 0.1 --depths 2,10 --budgets 100,1000 --show depths --topic-cost 5
design-scores: design {m} --delta 0.1 --simulations 100 --start 5 --power 0.9
design-under-way: design demo/qrels.txt demo/runs/prf-1.run demo/runs/ql-2.run --under-way
    --delta 0.2 -m P@5
design-judged: design --delta 0.05 --sigma 0.13 --judged 20 --simulations 100
design-trec8: design {t} --delta 0.1 --depths 5,10 --simulations 50

similarity-default: similarity demo/few
similarity-per-topic: similarity demo/few --per-topic --p 0.8
similarity-topic: similarity demo/few --topic 401 --topic 402 --depth 20
similarity-tied: similarity demo/few --tied w --alike 0.9 --cluster 0.3
similarity-fail: similarity demo/runs/bm25-1.run demo/runs/bm25-2.run --fail-under 0.9
similarity-plot: similarity demo/few --plot out/similarity.svg
similarity-trec8: similarity trec8/few --depth 100
similarity-dl: similarity dl/runs --tied a
gate-freeze: gate demo/qrels.txt --baseline demo/runs/bm25-1.run -m nDCG@10 --freeze out/b.frozen
gate-frozen: gate demo/qrels.txt demo/runs/bm25-2.run --baseline out/b.frozen -m nDCG@10
gate-pass: gate demo/qrels.txt demo/runs/prf-1.run --baseline demo/runs/ql-1.run
    -m nDCG@10 -m P@10 --margin 0.02
gate-fail: gate demo/qrels.txt demo/runs/ql-1.run --baseline demo/runs/prf-1.run --github
gate-undecided: gate demo/qrels.txt demo/runs/maverick-1.run --baseline out/b.frozen -m nDCG@10
gate-strict: gate demo/qrels.txt demo/runs/bm25-2.run --baseline demo/runs/bm25-1.run --strict
    --max-topic-loss 0.2 --min-judged 0.9 --undecided fail --junit out/gate.xml
gate-config: gate demo/qrels.txt demo/runs/bm25-2.run --baseline demo/runs/bm25-1.run
    --config lists/poolwise.toml
gate-no-candidate: gate demo/qrels.txt --baseline demo/runs/bm25-1.run
gate-dl: gate dl/qrels.gz dl/runs/idst_bert_p1.gz --baseline dl/runs/bm25base_p.gz -m nDCG@10,RBP
replay-pairs: replay out/pairs.tsv
replay-table: replay out/results.tex
replay-json: replay out/scores.json
replay-nothing: replay tiny/qrels.txt
measures-list: measures
explain-ndcg: explain nDCG@10
explain-alias: explain ndcg_cut_10
explain-rel: explain P(rel=2)@5
explain-rbp: explain RBP(p=0.95)
explain-sampled: explain HT(P@10)
explain-diversity: explain alpha_nDCG@10
explain-unknown: explain nDGC
cite-poolwise: cite
cite-pairs: cite out/pairs.tsv
cite-table: cite out/results.tex
cite-nothing: cite tiny/qrels.txt
demo-again: demo -o out/demo

study-depth: study depth {d} -m nDCG@10 --pool-depths 5,10 --depths 5,10
study-depth-tau: study depth {D} -m RBP,P@10 --pool-depths 5,10 --depths 5,10,20 --show tau
study-depth-forms: study depth {d} -m DCG@10 --form raw --form normalized --form standardized
    --pool-depths 5,10 --depths 5,10 --show score --tested
study-depth-plot: study depth {d} -m RBP --pool-depths 5,10 --depths 5,10 --plot out/depth.svg
study-movement: study movement {D}
study-movement-trec8: study movement {t} -m P@10 --pool-depths 5,10 --reference 50 --p 0.95
study-growth: study growth {D}
study-growth-trec8: study growth {T} --pool-depths 1,10,100 --plot out/growth.svg
study-undiscovered: study undiscovered {D} --depth 10 --target 20
study-undiscovered-trec8: study undiscovered {T} --depth 50 --fit topics --level 1
study-votes: study votes {D}
study-votes-dl: study votes {L} --depth 20 --rel 2 --bands 1,2,3
study-gains: study gains {D}
study-gains-dl: study gains {L} --model linear --depth 10 --gain linear --rel 2
study-gains-zipf: study gains {T} --model zipf --depth 50
study-gain-models: study gain-models {d} --depth 20
study-gain-models-topic: study gain-models {l} --topic 19335 --gain exponential
study-convergence: study convergence {D} --run prf-1 --topic 401
study-convergence-trec8: study convergence {T} --run READWARE2 --topic 401 --p 0.8 --depth 50
    --pool-depths 5,10,50
study-leave-out: study leave-out {D} -m nDCG@10 --treatment condensed,nonrelevant,exact
study-leave-out-rate: study leave-out {d} -m P@10 --treatment model,condensed --rate 0.5
    --repeats 2
study-leave-out-pool: study leave-out {d} -m P@10 --treatment condensed,nonrelevant
    --pool-depth 5 --cells
    incomplete --tests rmse
study-leave-out-width: study leave-out {D} -m RBP --treatment condensed,nonrelevant --width 3
    --repeats 3 --groups names --seed 2
study-leave-out-dl: study leave-out {l} -m nDCG@10 --treatment condensed,bootstrap
study-pooling-bias: study pooling-bias {D} --widths 2,4 --common 10,20 --pools 5 --samples 10
study-pooling-bias-test: study pooling-bias {D} -m P@10 --pools 5 --samples 5 --test prf-1 --depth 5
study-uncertainty: study uncertainty {D}
study-uncertainty-dl: study uncertainty {L} --p 0.5,0.9 --gain linear
study-unjudged: study unjudged {d} -m nDCG@10 --treatment condensed,nonrelevant
study-unjudged-complete: study unjudged out/thin.qrels demo/few -m P@10 --treatment condensed
    --complete demo/qrels.txt --edges 0.3
study-judging-order: study judging-order {d} --order hedge --order depth --judgments 10,20
    --depth 20
study-judging-order-out: study judging-order {d} -m P@10 --order move-to-front --leave-out
    --judgments 10 --depth 10 --batch 5
study-judging-order-mtc: study judging-order {d} --order mtc --order max-mean --order thompson
    --judgments 5,10 --depth 10
study-draws: study draws {D} --run maverick-1 --topic 401 --draws 200
study-draws-prior: study draws {l} --run p_bert --topic 19335 -m P@20 --prior multiplicity
    --draws 200 --seed 4
study-verdict: study verdict {D} --a maverick-1 --b prf-1 -m nDCG@10
study-verdict-documents: study verdict {D} --a maverick-1 --b prf-1 -m P@10 --show documents
study-verdict-dl: study verdict {l} --a ICT-BERT2 --b p_bert -m RBP(p=0.95)
study-orders: study orders {D} -m nDCG@10,AP,P@10 --resamples 100
study-orders-ap: study orders {M} --by tau_ap --resamples 50
study-orders-trec8: study orders {T} -m P@10,RBP --by spearman --resamples 50
study-discrimination: study discrimination {D} -m nDCG@10,P@10
study-discrimination-test: study discrimination {d} -m P@10 --test randomization --resamples 300
study-discrimination-pools: study discrimination {d} -m P@10 --pool-depths 5,10
study-discrimination-reference: study discrimination demo/qrels.txt demo/few -m P@10
    --reference out/thin.qrels
study-predictivity: study predictivity {D} -m nDCG@10,P@10 --partitions 50
study-predictivity-tau: study predictivity {M} --by tau --partitions 50 --top 0.75
study-persistence: study persistence {d} -m P@10
study-persistence-rbo: study persistence {d} -m AP --by rbo --gain linear
study-persistence-topics: study persistence {d} -m P@10 --rows topics
study-weights: study weights
study-weights-some: study weights -m RBP(p=0.9) -m DCG@20 --depth 30 --judged 10
study-curves: study curves {d}
study-curves-trec8: study curves {t} --plot out/curves.svg
study-swaps: study swaps {D} -m P@10 --draws 50
study-swaps-sets: study swaps {M} --sets independent --size 5 --draws 50 --alpha 0.05 --width 0.02
study-variants: study variants --scores scores/variants.csv
study-variants-file: study variants --scores scores/variants.csv --variants lists/variants.txt
    --fuzziness 0.01
study-comparability: study comparability {D} -m AP --partitions 50
study-comparability-second: study comparability {D} -m AP --second lists/topics.txt
study-comparability-missed: study comparability {D} -m AP,P@10 --false-negatives --partitions 50
study-references: study references {D} -m AP --samples 50
study-references-some: study references {T} -m P@10 --reference READWARE2,UB99SW,isa25 --sizes 2
    --samples 50
study-inclusion: study inclusion {D} -m AP --a prf-1 --b ql-1 --delta 0.1 --simulations 500
study-peeking: study peeking {D} -m AP --orders 10
study-peeking-start: study peeking {T} -m P@10 --orders 5 --start 10 --highest 0.2
study-topics: study topics {D} -m AP
study-topics-trec8: study topics {T} -m P@10
study-variance: study variance {D} -m AP,P@10
study-variance-trec8: study variance {T} -m P@10,RBP
study-anova: study anova {D} -m AP,P@10
study-anova-pools: study anova {d} -m P@10 --pool-depths 5,10,20
study-dispersion: study dispersion {D} -m AP --resamples 99
study-dispersion-scores: study dispersion {M} --resamples 99 --seed 2
study-distribution: study distribution {D} -m AP
study-distribution-systems: study distribution {d} -m AP --of systems --bandwidth 0.05
study-distribution-bins: study distribution {d} -m AP --run prf-1 --bins 0.1 --offset 0.05
study-intensity: study intensity {d} -m AP
study-agreement: study agreement demo/few --a prf-1 --b bm25-1
study-agreement-also: study agreement demo/few --a prf-1 --b ql-2 --also tau --also rho --also M
study-agreement-all: study agreement demo/few --a prf-1
study-time: study time dated --ends 1
study-time-dates: study time demo/few --dates lists/dates.txt --p 0.8
study-degradation: study degradation --repeats 5 --swaps 5
study-degradation-small: study degradation --relevant 5 --length 30 --swaps 4 --repeats 4 --seed 2
"""
"""The calls of the command, by an id that stays; a line that is indented goes on with a call."""

PYTHON = """
api-evaluate: pw.evaluate(Q, R, ["nDCG@10", "AP", "RBP(p=0.95)"])
api-evaluate-corpus: pw.evaluate(Q, F, "P@10", universe="corpus", bounds="naive")
api-evaluate-averages: pw.evaluate(Q, F, "AP", averages=["geometric", "median"])
api-evaluate-treatment: pw.evaluate(Q, F, "nDCG@10", treatment="condensed")
api-evaluate-trec8: pw.evaluate(T, TF, ["AP", "P@10", "bpref"])
api-evaluate-dl: pw.evaluate(L, LF, ["nDCG@10", "RBP(p=0.8)"], topics="common")
api-evaluate-dicts: pw.evaluate(GRADES, LISTS, ["AP", "nDCG@3", "P@2"])
api-compare: pw.compare(Q, F, "nDCG@10", baseline="bm25-1")
api-compare-all: pw.compare(Q, F, "P@10", test="wilcoxon", correction="bh")
api-compare-random: pw.compare(Q, F, "P@10", test="randomization", resamples=500, rng=3)
api-compare-dl: pw.compare(L, LF, "nDCG@10", test="bootstrap", resamples=500)
api-compare-measures: pw.workflows.compare_by_measures(Q, F, ["P@5", "AP@50"])
api-compare-scores: pw.compare_scores(SCORES("AP"), correction="tukey")
api-compare-pair: pw.compare_pair(SCORES("AP"), "prf-1", "ql-2", test="bootstrap", rng=1)
api-estimate: pw.estimate(Q, F, "nDCG@10")
api-estimate-model: pw.estimate(Q, R, "P@10", treatments=["model", "condensed"])
api-estimate-dl: pw.estimate(L, LF, "RBP", treatments="model")
api-estimate-measures: pw.workflows.estimate_by_measures(Q, F, ["P@5"], treatments="condensed")
api-audit: pw.audit(Q, R)
api-gate: pw.gate(Q, "demo/runs/bm25-1.run", "demo/runs/bm25-2.run", ["nDCG@10", "P@10"])
api-next: pw.next_to_judge(Q, F, "relevant", budget=20)
api-next-pair: pw.next_to_judge(Q, F, "pair:prf-1,maverick-1", budget=20)
api-pool: pw.pool(Q, F, depth=5)
api-pool-to-judge: pw.pool_to_judge(F, depth=5)
api-similarity: pw.similarity(F, p=0.8)
api-similarity-topics: pw.workflows.similarity_by_topic(F, p=0.8)
api-results-table: pw.results_table(Q, F, ["nDCG@10", "AP"], marks="letters")
api-trec-eval: pw.trec_eval(Q, "demo/runs/prf-1.run")
api-correlate: pw.correlate([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0], method="tau_ap")
api-power: pw.power_analysis(delta=0.05, sigma=0.2, power=0.8)
api-rbo: pw.rank_biased_overlap(list("abcdef"), list("badcgf"), p=0.9)
api-simulate: pw.simulate(4, 5, 20).judgments
api-score: SCORES("nDCG@10")
api-standardize: pw.standardize(SCORES("AP"), mapping="normal")
api-condense: pw.score(pw.condense(EVIDENCE()), "AP")
api-explain: pw.explain("nDCG@10")
api-merge: pw.merge_judgments("tiny/qrels.txt", "tiny/negative.txt", conflicts="highest").judgments
api-overview: pw.report(Q, F, ["nDCG@10"])
api-page: EMBEDDED(pw.html_page(pw.report(Q, F, ["nDCG@10", "RBP(p=0.8)"])))
api-page-dl: EMBEDDED(pw.html_page(pw.report(L, LF, ["nDCG@10"], baseline="bm25base_p")))
api-study-variance: pw.workflows.study_variance([SCORES("AP")])
api-study-topics: pw.workflows.study_topics(SCORES("AP"))
api-study-growth: pw.workflows.study_growth(Q, F, pool_depths=[1, 5, 10])
api-study-votes: pw.workflows.study_votes(Q, F)
api-study-depths: pw.workflows.study_depths(Q, F, ["P@10"], pool_depths=[5, 10], depths=[5, 10])
api-design: pw.workflows.design_from_numbers(delta=0.1, sigma=0.2, simulations=100)
api-subtopics: pw.workflows.evaluate_subtopics("tiny/subtopics.txt", "tiny/runs")
"""
"""Calls from Python: expressions; what they return is written column by column, in full digits."""

REGISTRIES = {
    "measure": "CATALOGUE SAMPLED DIVERSITY",
    "plot": "PLOTS",
    "section": "SECTIONS",
    "test": "TESTS",
    "correction": "CORRECTIONS",
    "interval": "INTERVALS",
    "treatment": "TREATMENTS",
    "order": "ORDERS",
    "goal": "GOALS",
    "gain-model": "GAIN_MODELS",
    "prior": "PRIORS",
    "reference": "REFERENCES",
}
"""Kinds of entries, and the constants that hold them, wherever they are defined."""

FORMS = ".run .txt .tsv .csv .json .jsonl .ndjson .parquet .pq"
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
}
"""Endings of file names that are tried with a small run."""

Names = dict[str, dict[str, Any]]
Renames = dict[tuple[str, str], str]


# ---- public names


def _plain_repr(value: object) -> str:
    """Return a repr without addresses, and without the modules of poolwise, which may move."""
    text = re.sub(r" at 0x[0-9a-f]+", "", repr(value))
    return "unset" if "UNSET" in text else re.sub(r"poolwise(\.\w+)*\.(?=\w)", "", text)


def _parameters(thing: Any) -> dict[str, str]:
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {f"({p.name})": _parameter(i, p) for i, p in enumerate(parameters)}


def _parameter(place: int, parameter: inspect.Parameter) -> str:
    kind = parameter.kind.description
    by_place = f"{place}. " if "positional" in kind else ""
    default = "" if parameter.default is parameter.empty else f" = {_plain_repr(parameter.default)}"
    return f"{by_place}{kind}{default}"


def _own_member(cls: type, name: str) -> bool:
    owners = [base for base in cls.__mro__ if name in vars(base)]
    return bool(owners) and owners[0].__module__.startswith("poolwise")


def _member(cls: type, name: str) -> str:
    member = inspect.getattr_static(cls, name)
    if isinstance(member, property):
        return "property"
    called = getattr(cls, name)
    if not callable(called):
        return "attribute"
    return ", ".join(f"{k[1:-1]}: {v}" for k, v in _parameters(called).items())


def _members(cls: type) -> dict[str, str]:
    public = [name for name in dir(cls) if not name.startswith("_") and _own_member(cls, name)]
    members = {f".{name}": _member(cls, name) for name in public}
    if is_dataclass(cls):
        members |= {
            f".{field.name}": "field" for field in fields(cls) if not field.name.startswith("_")
        }
    return members


def _entry_name(entry: Any) -> str:
    if isinstance(entry, str | int | float):
        return str(entry)
    if isinstance(entry, Enum):
        return f"{entry.name} = {entry.value}"
    names = (getattr(entry, key, None) for key in ("measure", "name", "title", "__name__"))
    return next((str(name) for name in names if name is not None), type(entry).__name__)


def _spellings(entry: Any) -> dict[str, Any]:
    """Return the examples and other names that a measure of the catalogue has."""
    examples, aliases = getattr(entry, "examples", ()), getattr(entry, "aliases", ())
    parts = [*(f"[{example}]" for example in examples)]
    parts += [f"[alias {getattr(alias, 'spelling', alias)}]" for alias in aliases]
    return {"has": dict.fromkeys(parts, "")} if parts else {}


def _entries(registry: Iterable[Any]) -> list[str]:
    return sorted(map(_entry_name, registry))


def _described(thing: Any) -> dict[str, Any]:
    """Return of what kind a name is, and the parts it has."""
    if isinstance(thing, ModuleType):
        return {"is": "room"}
    if isinstance(thing, type):
        return {"is": "class", "has": _parameters(thing) | _members(thing)}
    if callable(thing):
        return {"is": "callable", "has": _parameters(thing)}
    if isinstance(thing, Mapping | tuple | list | frozenset | set):
        return {"is": "registry", "has": {f"[{name}]": "" for name in _entries(thing)}}
    return {"is": "value"}


def _doors() -> list[ModuleType]:
    top = import_module("poolwise")
    rooms = [getattr(top, name) for name in top.__all__]
    return [top, *(room for room in rooms if isinstance(room, ModuleType))]


def _public_names() -> Names:
    return {
        f"name {door.__name__}.{name}": _described(getattr(door, name))
        for door in _doors()
        for name in door.__all__
    }


@cache
def _modules() -> list[ModuleType]:
    path = import_module("poolwise").__path__
    names = [module.name for module in pkgutil.walk_packages(path, "poolwise.")]
    # The native libraries are no modules, though their names end like those of modules.
    specs = [spec for spec in map(find_spec, names) if spec and str(spec.origin).endswith(".py")]
    return [import_module(spec.name) for spec in specs if not spec.name.endswith("__main__")]


def _definitions(constant: str) -> Iterator[Any]:
    """Yield what has this name in any module of poolwise, each once."""
    seen: set[int] = set()
    for module in [*_doors(), *_modules()]:
        thing = vars(module).get(constant)
        # An option of the command may have the name of the registry that it chooses from.
        if thing is not None and not isinstance(thing, click.ParamType) and id(thing) not in seen:
            seen.add(id(thing))
            yield thing


def _registered() -> Names:
    return {
        f"{kind} {_entry_name(entry)}": _spellings(entry)
        for kind, constants in REGISTRIES.items()
        for constant in constants.split()
        for registry in _definitions(constant)
        for entry in registry
    }


def _exit_codes() -> Names:
    return {
        f"exit-code {entry}": {} for codes in _definitions("ExitCode") for entry in _entries(codes)
    }


def _root() -> click.Group:
    """Return the group of all commands."""
    root = import_module("poolwise.cli.main").main
    assert isinstance(root, click.Group)
    return root


def _commands(
    command: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    yield " ".join(path), command
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            child = command.get_command(ctx, name)
            assert child is not None
            yield from _commands(child, (*path, name))


def _option(parameter: click.Parameter) -> dict[str, Any]:
    choices = getattr(parameter.type, "choices", ())
    described = {
        "is": {
            "names": sorted([*parameter.opts, *parameter.secondary_opts]),
            "default": _plain_repr(parameter.default),
            "type": parameter.type.name,
            "multiple": parameter.multiple if isinstance(parameter, click.Option) else False,
            "required": parameter.required,
            "nargs": parameter.nargs,
        }
    }
    has = {f"={choice}": "" for choice in sorted(map(str, choices))}
    return described | ({"has": has} if has else {})


def _options() -> Names:
    names: Names = {}
    for path, command in _commands(_root()):
        names[f"command poolwise {path}".strip()] = {}
        if path.startswith("study "):
            names[path] = {}
        for parameter in command.params:
            name = max((*parameter.opts, *parameter.secondary_opts), key=len)
            names[f"option {path} {name}"] = _option(parameter)
    return names


def _written_form(form: str) -> bytes:
    """Return a run of two documents in the form that an ending of a file name promises."""
    rows = [("1", "a", 1, 2.5), ("1", "b", 2, 1.5)]
    if form in {".run", ".txt", ".tsv"}:
        return "".join(f"{q} Q0 {d} {r} {s} mine\n" for q, d, r, s in rows).encode()
    if form == ".csv":
        return ("qid,docno,score\n" + "".join(f"{q},{d},{s}\n" for q, d, _, s in rows)).encode()
    if form == ".json":
        return json.dumps({"1": {d: s for _, d, _, s in rows}}).encode()
    if form in {".jsonl", ".ndjson"}:
        lines = [json.dumps({"qid": q, "docno": d, "score": s}) for q, d, _, s in rows]
        return "\n".join(lines).encode()
    return _parquet([{"qid": q, "docno": d, "score": s} for q, d, _, s in rows])


def _parquet(rows: list[dict[str, Any]]) -> bytes:
    pa, pq = import_module("pyarrow"), import_module("pyarrow.parquet")
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows), sink)
    return bytes(sink.getvalue())


def _zstd(data: bytes) -> bytes:
    return bytes(import_module("zstandard").ZstdCompressor().compress(data))


def _endings() -> Names:
    """Return which endings of a name a run is read from: by trying, not by a list of them."""
    names: Names = {}
    with tempfile.TemporaryDirectory() as folder:
        for form in FORMS.split():
            for ending, compress in (COMPRESSIONS | {".zst": _zstd}).items():
                path = Path(folder) / f"mine{form}{ending}"
                path.write_bytes(compress(_written_form(form)))
                names[f"ending {form}{ending}"] = {"is": _reading(path)}
    return names


def _reading(path: Path) -> str:
    pw = import_module("poolwise")
    try:
        pw.evaluate({"1": {"a": 0, "b": 1}}, str(path), "RR")
    except pw.PoolwiseError:
        return "refused"
    return "read"


def inventory() -> Names:
    """Return everything public, by kind and name."""
    parts = (_public_names, _registered, _exit_codes, _options, _endings)
    names = {name: detail for part in parts for name, detail in part().items()}
    return dict(sorted(names.items()))


def write_names(path: Path) -> None:
    """Write the inventory, a line per name, so that two of them can be diffed."""
    lines = [f"{json.dumps(k)}: {json.dumps(v, sort_keys=True)}" for k, v in inventory().items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


# ---- the collections that the calls read


_DEMO = "bm25-1 bm25-2 bm25-3 dfr-1 dfr-2 dfr-3 maverick-1 prf-1 prf-2 ql-1 ql-2 ql-3"
_TINY = {
    "tiny/qrels.txt": "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 0\n2 0 d 1\n3 0 e 0\n",
    "tiny/negative.txt": "1 0 a 2\n1 0 b -1\n1 0 c 2\n2 0 a 0\n2 0 d 1\n3 0 e 1\n",
    "tiny/runs/x.run": "1 Q0 a 1 3 x\n1 Q0 x 2 3 x\n1 Q0 c 3 1 x\n2 Q0 d 1 9 x\n2 Q0 a 2 9 x\n",
    "tiny/runs/y.run": "1 Q0 y 2 0.9 y\n1 Q0 c 1 0.8 y\n2 Q0 a 1 0.7 y\n4 Q0 z 1 0.1 y\n",
    "tiny/twice.run": "1 Q0 b 1 3 x\n1 Q0 a 2 2 x\n1 Q0 b 3 1 x\n2 Q0 d 1 9 x\n",
    "tiny/bad.run": "1 Q0 a 1 3 x\n1 Q0 b\n2 Q0 d 1 nine x\n",
    "tiny/subtopics.txt": "1 1 a 1\n1 2 c 1\n1 2 y 1\n2 1 a 1\n2 3 d 1\n2 3 x 0\n",
    "tiny/texts.tsv": "1\tfirst query\n2\tsecond query\n3\tthird query\n",
    "lists/topics.txt": "".join(f"{topic}\n" for topic in range(401, 421)),
    "lists/groups.txt": "".join(f"{run} {run.split('-')[0]}\n" for run in _DEMO.split()),
    "lists/grades.txt": "401 0 new-document 2\n402 0 new-document 0\n",
    "lists/poolwise.toml": '[gate]\nmeasure = ["P@10"]\nmargin = 0.05\n',
    "lists/dates.txt": "bm25-1 lexical 2020-01-01\ndfr-3 lexical 2020-02-01\n"
    "maverick-1 other 2020-01-01\nprf-1 other 2020-02-01\nql-2 other 2020-03-01\n",
    "lists/variants.txt": "".join(f"{t}-{v} {t} {v}\n" for t in range(1, 9) for v in (1, 2, 3)),
}
"""Files of a few lines, each for what some call asks for."""


def _matrix(name: str, topics: Iterable[str], systems: int) -> str:
    """Return scores that look like some measure's and are the same everywhere."""
    rng = np.random.default_rng(sum(map(ord, name)))
    head = ["topic", *(f"s{number}" for number in range(systems))]
    lines = [[topic, *(f"{score:.4f}" for score in rng.beta(2, 3, systems))] for topic in topics]
    return "".join(",".join(line) + "\n" for line in [head, *lines])


def _write_small_files() -> None:
    scores = {
        "scores/one.csv": _matrix("one", map(str, range(1, 31)), 8),
        "scores/two.csv": _matrix("two", map(str, range(1, 31)), 8),
        "scores/variants.csv": _matrix(
            "variants", [f"{t}-{v}" for t in range(1, 9) for v in (1, 2, 3)], 4
        ),
    }
    for name, text in (_TINY | scores).items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _take_runs(source: Path, target: Path, runs: str, ending: str) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for run in runs.split():
        shutil.copyfile(source / f"{run}{ending}", target / f"{run}{ending}")


def _take_collection(source: Path, name: str) -> None:
    _take_runs(source / "runs", Path(name, "runs"), RUNS[name], ".gz")
    _take_runs(source / "runs", Path(name, "few"), FEW[name], ".gz")
    shutil.copyfile(source / "qrels.gz", Path(name, "qrels.gz"))


def _prepare(data: Path) -> None:
    """Write everything that calls read into this folder."""
    _write_small_files()
    CliRunner().invoke(_root(), ["demo", "--output", "demo"])
    _take_runs(Path("demo/runs"), Path("demo/few"), FEW["demo"], ".run")
    for number, run in enumerate(FEW["demo"].split()):
        Path("dated").mkdir(exist_ok=True)
        name = f"one.2020-0{number + 1}-01"
        text = Path(f"demo/runs/{run}.run").read_text(encoding="utf-8")
        Path(f"dated/{name}.run").write_text(text.replace(f" {run}\n", f" {name}\n"))
    _take_collection(data / "trec8", "trec8")
    _take_collection(data / "trec-dl-2019", "dl")
    shutil.copyfile(data / "trec8/sampled/prels.gz", "trec8/prels.gz")
    shutil.copyfile(data / "trec8/sampled/qrels-strata.gz", "trec8/strata.gz")
    for kind in ("mn", "sd"):
        name = f"trec8.adhoc.{kind}.csv"
        shutil.copyfile(data / "standardization-factors" / name, f"scores/{name}")
    Path("out").mkdir()


# ---- calls


def _table(text: str) -> dict[str, str]:
    """Return the calls of a table by id."""
    joined = re.sub(r"\n +", " ", text)
    pairs = [line.split(": ", 1) for line in joined.splitlines() if line]
    assert len({name for name, _ in pairs}) == len(pairs), "an id stands twice"
    return dict(pairs)


def _words(call: str, renames: Renames) -> list[str]:
    """Return the words of a call as the version that runs it calls its options and commands."""
    for short, long in SHORT.items():
        call = call.replace(short, long)
    # Parentheses and quotes are nothing special here: no shell reads a call.
    words = shlex.split(call)
    size = 2 if words[0] == "study" else 1
    command, rest = " ".join(words[:size]), words[size:]
    new = [renames.get(("option", f"{command} {word}"), f"{command} {word}") for word in rest]
    rest = [
        old if current == "-" else current.split()[-1]
        for current, old in zip(new, rest, strict=True)
    ]
    new_command = renames.get(("command", f"poolwise {command}"), f"poolwise {command}")
    return [*new_command.removeprefix("poolwise ").split(), *rest]


def _normal(text: str) -> str:
    """Return a text without what differs from machine to machine and from version to version."""
    version = re.escape(str(import_module("poolwise").__version__))
    text = text.replace(f"{Path.cwd()}{os.sep}", "").replace(str(Path.cwd()), "WORK")
    text = re.sub(rf"(?<![\w.]){version}(?![\w.]*\w)", "VERSION", text)
    text = re.sub(r"\b\d+(\.\d+)? (seconds|s)\b(?= |\.|$)", "SECONDS", text)
    # A drawing has a date and ids by chance in it, so that its hash is never the same twice.
    text = re.sub(r'(\.svg": ")[0-9a-f]{64}', r"\1SHA256", text)
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def _written() -> dict[str, tuple[int, int]]:
    files = (path for path in Path("out").rglob("*") if path.is_file())
    return {path.as_posix(): (path.stat().st_mtime_ns, path.stat().st_size) for path in files}


def _embedded(page: str) -> list[Any]:
    """Return what a report page embeds as JSON: the numbers that it shows."""
    blocks = re.findall(r'<script type="application/json"([^>]*)>(.*?)</script>', page, re.DOTALL)
    return [
        json.loads(zlib.decompress(base64.b64decode(held)) if kind else held)
        for kind, held in blocks
    ]


def _page_text(page: str) -> str:
    """Return the words of a page, a line each, and then what it embeds."""
    shown = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", page, flags=re.DOTALL)
    lines = [" ".join(line.split()) for line in re.sub(r"<[^>]+>", "\n", shown).splitlines()]
    words = "\n".join(html.unescape(line) for line in lines if line)
    return words + "\n" + "\n".join(json.dumps(block) for block in _embedded(page))


def _drawing_text(drawing: str) -> str:
    """Return a drawing without its date and the ids that its shapes have by chance."""
    text = re.sub(r"<dc:date>.*?</dc:date>", "", drawing)
    ids = dict.fromkeys(re.findall(r'id="(?:\w*_)?([a-zA-Z]*[0-9a-f]{10,})"', text))
    for number, name in enumerate(ids):
        text = text.replace(name, f"shape{number}")
    return text


def _content(name: str) -> str:
    data = Path(name).read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return f"bytes {hashlib.sha256(data).hexdigest()}"
    if name.endswith(".svg"):
        return _drawing_text(text)
    return _page_text(text) if name.endswith(".html") else text


def _has_format(words: list[str]) -> bool:
    command = dict(_commands(_root())).get(" ".join(words[: 2 if words[0] == "study" else 1]))
    options = [name for parameter in command.params for name in parameter.opts] if command else []
    return "--format" in options and not {"--format", "-o", "--output", "--plot"} & set(words)


def _invoked(words: list[str]) -> tuple[int, str, str]:
    result = CliRunner().invoke(_root(), words)
    return result.exit_code, _normal(result.stdout), _normal(result.stderr)


def _command_output(words: list[str]) -> str:
    """Return everything that a call says and writes, in sections."""
    before = _written()
    code, out, err = _invoked(words)
    parts = [("exit", f"{code}\n"), ("stdout", out), ("stderr", err)]
    changed = sorted(name for name, stamp in _written().items() if before.get(name) != stamp)
    parts += [(f"file {name}", _normal(_content(name))) for name in changed]
    if code < 3 and _has_format(words):
        again, out, _ = _invoked([*words, "--format", "json"])
        parts += [("exit of json", f"{again}\n"), ("json", out)]
    return _joined(f"poolwise {shlex.join(words)}", parts)


def _joined(call: str, parts: Iterable[tuple[str, str]]) -> str:
    return f"$ {call}\n" + "".join(f"=== {name}\n{text.rstrip()}\n" for name, text in parts)


def _plain(value: Any) -> Any:
    """Return a result as lists and dictionaries that JSON can hold, in full digits."""
    if hasattr(value, "columns") and callable(value.columns):
        return _plain(value.columns())
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    return _plain_fields(value) if is_dataclass(value) else _plain_repr(value)


def _plain_fields(value: Any) -> dict[str, Any]:
    return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}


def _surroundings() -> dict[str, Any]:
    """Return the names that the expressions of ``PYTHON`` use."""
    pw = import_module("poolwise")

    def evidence() -> Any:
        return pw.align(pw.read_judgments("demo/qrels.txt"), pw.read_runs("demo/few"))

    return {
        "pw": pw, "Q": "demo/qrels.txt", "R": "demo/runs", "F": "demo/few",
        "T": "trec8/qrels.gz", "TF": "trec8/few", "L": "dl/qrels.gz", "LF": "dl/few",
        "GRADES": {"1": {"a": 1, "b": 0, "c": 2}, "2": {"d": 1}},
        "LISTS": {"x": {"1": {"a": 3.0, "z": 2.0, "c": 1.0}, "2": {"d": 1.0}}},
        "EVIDENCE": evidence, "EMBEDDED": _embedded,
        "SCORES": lambda measure: pw.evaluate("demo/qrels.txt", "demo/few", measure)[measure],
    }  # fmt: skip


def _python_output(name: str, call: str, renames: Renames) -> str:
    call = renames.get(("call", name), call)
    names = re.findall(r"pw((?:\.\w+)+)", call)
    for old in sorted(set(names), key=len, reverse=True):
        new = renames.get(("name", f"poolwise{old}"), f"poolwise{old}")
        call = call.replace(f"pw{old}(", f"pw{new.removeprefix('poolwise')}(")
    try:
        result = eval(call, _surroundings())  # noqa: S307 -- the expressions stand above
        code, text = 0, json.dumps(_plain(result), indent=1)
    except Exception as error:  # noqa: BLE001 -- what is raised is what is written
        code, text = 1, f"{type(error).__name__}: {error}"
    return _joined(call, [("exit", f"{code}\n"), ("result", _normal(text))])


def _help_calls() -> dict[str, str]:
    paths = [path for path, _ in _commands(_root()) if path]
    return {f"help-{path.replace(' ', '-')}": f"{path} --help" for path in paths}


def _outputs(renames: Renames) -> Iterator[tuple[str, str]]:
    """Make every call, and yield its id and what it said."""
    for name, call in (_table(CALLS) | _help_calls()).items():
        yield name, _command_output(_words(call, renames))
    for name, call in _table(PYTHON).items():
        yield name, _python_output(name, call, renames)


def write_outputs(target: Path, data: Path, renames: Renames) -> None:
    """Write a file for each call, and print which calls were slow."""
    target, data = target.resolve(), data.resolve()
    target.mkdir(parents=True, exist_ok=True)
    os.environ |= {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        _prepare(data)
        start = time.perf_counter()
        for name, text in _outputs(renames):
            (target / f"{name}.txt").write_text(text, encoding="utf-8", errors="backslashreplace")
            seconds, start = time.perf_counter() - start, time.perf_counter()
            if seconds > 2:
                print(f"{name}\t{seconds:.1f} seconds", flush=True)


# ---- comparing


_NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?!\.?\w)")
_RECORD = '"poolwise": "VERSION"'


def _numbers(text: str) -> list[str]:
    """Return the numbers of an output: not those of the call, nor of records of provenance."""
    sections = re.split(r"^=== .*\n", text.partition("\n")[2], flags=re.MULTILINE)
    return [number for section in sections for number in _section_numbers(section)]


def _section_numbers(section: str) -> list[str]:
    """Return the numbers of a part of an output, whose options may be recorded in more words."""
    whole = _without_record(section)
    lines = [whole] if whole != section else map(_without_record, section.splitlines())
    shown = (line for line in lines if _RECORD not in line and not _names_options(line))
    return _NUMBER.findall("\n".join(shown))


def _without_record(text: str) -> str:
    """Return JSON without records of provenance; any other text as it is."""
    if not text.startswith("{"):
        return text
    try:
        content = json.loads(text)
    except ValueError:
        return text
    kept = {} if "options" in content else {k: v for k, v in content.items() if k != "provenance"}
    return json.dumps(kept)


def _names_options(line: str) -> bool:
    """Say whether a line is the note that lists options, which is a record in words."""
    note = re.fullmatch(r"(?:\W*)note: (.*)", line)
    if not note or re.search(r": \d+$|\.$|^(judgments|scores) ", note[1]):
        return False
    return all(re.match(r"[a-z_]+ ", f"{option} ") for option in note[1].split(", "))


def _result_numbers(name: str, text: str) -> list[str]:
    """Return the numbers that are results; a page of help has none."""
    return [] if name.startswith("help-") else _numbers(text)


def read_renames(path: Path | None) -> Renames:
    """Return the new name of each old one, by kind and old name."""
    if path is None:
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    for row in rows:
        if len(row) != 4 or not row[3]:
            raise SystemExit(f"{path}: a line must have kind, old, new and reason; got {row}")
    return {(kind, old): new for kind, old, new, _ in rows}


def _flat(names: Names) -> dict[str, str]:
    """Return each name and each of its parts, with what is said of it."""
    flat: dict[str, str] = {}
    for name, detail in names.items():
        flat[name] = json.dumps(detail.get("is", ""), sort_keys=True)
        flat |= {f"{name}{part}": text for part, text in detail.get("has", {}).items()}
    return flat


def _explained(key: str, renames: Renames) -> bool:
    """Say whether a line explains a name, or the name that it is a part of."""
    kind, _, name = key.partition(" ")
    return any(kind == of and _is_part(name, old) for of, old in renames)


def _dangling(renames: Renames, after: dict[str, str]) -> list[str]:
    """Return the lines whose new name does not exist."""
    return [
        f"{kind} {old} -> {new}"
        for (kind, old), new in renames.items()
        if kind not in {"call", "output"} and new != "-" and f"{kind} {new}" not in after
    ]


def _is_part(name: str, whole: str) -> bool:
    return name == whole or (name.startswith(whole) and name[len(whole)] in "(.[=")


def compare_names(old: Names, new: Names, renames: Renames) -> bool:
    """Print what differs between two inventories; return whether all of it is explained."""
    before, after = _flat(old), _flat(new)
    missing = [key for key in before if key not in after]
    changed = [key for key in before if key in after and before[key] != after[key]]
    for key in (key for key in after if key not in before):
        print(f"new\t{key}\t{after[key]}")
    for key in missing:
        print(f"missing{_mark(key, renames)}\t{key}\t{before[key]}")
    for key in changed:
        print(f"changed{_mark(key, renames)}\t{key}\t{before[key]} -> {after[key]}")
    dangling = _dangling(renames, after)
    for line in dangling:
        print(f"no such new name\t{line}")
    numbers = [k for k in changed if _NUMBER.findall(before[k]) != _NUMBER.findall(after[k])]
    unexplained = [key for key in [*missing, *numbers] if not _explained(key, renames)]
    print(f"{len(before) - len(missing)} of {len(before)} names and parts are where they were,")
    print(f"{len(missing)} are not, {len(unexplained)} missing or changed without explanation")
    return not unexplained and not dangling


def _mark(key: str, renames: Renames) -> str:
    return " (explained)" if _explained(key, renames) else ""


def _texts(folder: Path) -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))}


def _difference(name: str, old: str, new: str) -> str:
    """Say how two outputs of a call differ; nothing where they do not."""
    if old.partition("\n")[2] == new.partition("\n")[2]:
        return ""
    before, after = (_result_numbers(name, text) for text in (old, new))
    if before == after:
        return "words"
    if sorted(before) == sorted(after):
        return "numbers: the same in another order"
    pairs = zip(before, after, strict=False)
    first = next((f"{a} -> {b}" for a, b in pairs if a != b), "one has more")
    return f"numbers: {len(before)} -> {len(after)}, first {first}"


def compare_outputs(old: dict[str, str], new: dict[str, str], renames: Renames) -> bool:
    """Print which calls differ, and how; return whether no number does without explanation."""
    differences = {name: _difference(name, old[name], new[name]) for name in old if name in new}
    differences |= {name: "missing" for name in old if name not in new}
    for name in (name for name in new if name not in old):
        print(f"new\t{name}")
    for name, how in sorted(differences.items()):
        if how:
            print(f"{how}{_mark(f'output {name}', renames)}\t{name}")
    counted = [how.partition(":")[0] for how in differences.values()]
    print(f"{counted.count('')} of {len(old)} calls are the same, {counted.count('words')} differ")
    print(
        f"in words, {counted.count('numbers')} in numbers, {counted.count('missing')} are missing"
    )
    bad = [name for name, how in differences.items() if how not in {"", "words"}]
    return all(_explained(f"output {name}", renames) for name in bad)


def compare(old: Path, new: Path, renames: Renames) -> bool:
    """Compare two files of names, or two folders of outputs."""
    if old.is_dir():
        return compare_outputs(_texts(old), _texts(new), renames)
    before, after = (json.loads(path.read_text(encoding="utf-8")) for path in (old, new))
    return compare_names(before, after, renames)


def write_digest(folder: Path, path: Path) -> None:
    """Write what identifies each output: its exit code and two hashes."""
    lines = [_digest(name, text) for name, text in _texts(folder).items()]
    path.write_text("".join(lines), encoding="utf-8")


def _digest(name: str, text: str) -> str:
    said = text.partition("\n")[2]
    code = said.splitlines()[1]
    hashes = [said, " ".join(_result_numbers(name, text))]
    return "\t".join([name, code, *(hashlib.sha256(h.encode()).hexdigest() for h in hashes)]) + "\n"


# ---- the command


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    tasks = parser.add_subparsers(dest="task", required=True)
    tasks.add_parser("names").add_argument("out", type=Path)
    outputs = tasks.add_parser("outputs")
    outputs.add_argument("out", type=Path)
    outputs.add_argument("--data", type=Path, default=Path("data"))
    compared = tasks.add_parser("compare")
    compared.add_argument("old", type=Path)
    compared.add_argument("new", type=Path)
    digest = tasks.add_parser("digest")
    digest.add_argument("folder", type=Path)
    digest.add_argument("out", type=Path)
    for task in (outputs, compared):
        task.add_argument("--renames", type=Path)
    return parser.parse_args()


def main() -> int:
    """Do what the command line asks for."""
    arguments = _arguments()
    if arguments.task == "names":
        write_names(arguments.out)
    elif arguments.task == "outputs":
        write_outputs(arguments.out, arguments.data, read_renames(arguments.renames))
    elif arguments.task == "digest":
        write_digest(arguments.folder, arguments.out)
    else:
        return 0 if compare(arguments.old, arguments.new, read_renames(arguments.renames)) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
