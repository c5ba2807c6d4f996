#!/usr/bin/env python3
"""A PySpark job that sends an archive through a filter of convo.

    spark-submit archive.py [--convo PROGRAM] [--chunk N] OUT SOURCE... -- project -q

A source is a text file or a folder of them, one conversation a line, behind its id and a tab.
OUT/source=NAME/kind=result holds id, tab, result; OUT/source=NAME/kind=refused holds id, tab,
and the diagnostic as JSON. A source that was finished is not done again; one that was not
starts anew. What follows `--` is any filter that writes one line a conversation; with
`--chunk 1` one that writes several, each behind the same id.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys


def filtered(command, texts):
    """The lines that the filter writes for these conversations, and who was refused: number
    and diagnostic."""
    process = subprocess.run(
        command + ["--message-format", "json"],
        input="".join(f"{text}\n" for text in texts).encode(),
        capture_output=True,
    )
    refused = {}
    for line in process.stderr.decode().splitlines():
        told = json.loads(line)
        if told["severity"] == "error":
            if told["conversation"] is None:
                raise RuntimeError(line)
            refused.setdefault(told["conversation"], line)
    return process.stdout.decode().splitlines(), refused


def rows(command, chunk):
    """What one chunk of (id, conversation) gives: (kind, id and text)."""
    results, refused = filtered(command, [text for _, text in chunk])
    if len(chunk) > 1 and len(results) + len(refused) != len(chunk):
        # Some line holds no conversation or counts for two: halves find it.
        half = len(chunk) // 2
        yield from rows(command, chunk[:half])
        yield from rows(command, chunk[half:])
        return
    if len(chunk) == 1:
        (name, _), = chunk
        yield from (("result", f"{name}\t{line}") for line in results)
        if refused:
            yield "refused", f"{name}\t{refused[min(refused)]}"
        return
    results = iter(results)
    for number, (name, _) in enumerate(chunk):
        if number in refused:
            yield "refused", f"{name}\t{refused[number]}"
        else:
            yield "result", f"{name}\t{next(results)}"


def through(command, size):
    def partition(lines):
        pairs = (line.value.split("\t", 1) for line in lines)
        while chunk := list(itertools.islice(pairs, size)):
            yield from rows(command, chunk)

    return partition


def main():
    here = sys.argv[1:]
    at = here.index("--") if "--" in here else len(here)
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--convo", default=os.environ.get("CONVO_BINARY", "convo"))
    parser.add_argument("--chunk", type=int, default=2000, help="conversations a process")
    parser.add_argument("out")
    parser.add_argument("sources", nargs="+")
    options = parser.parse_args(here[:at])
    command = [options.convo, *(here[at + 1 :] or ["project", "-q"])]

    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName("convo").getOrCreate()
    jvm = spark._jvm.org.apache.hadoop.fs
    for source in options.sources:
        name = os.path.basename(source.rstrip("/"))
        target = jvm.Path(f"{options.out}/source={name}")
        files = target.getFileSystem(spark._jsc.hadoopConfiguration())
        if files.exists(jvm.Path(target, "_SUCCESS")):
            print(f"{name}: done before", file=sys.stderr)
            continue
        lines = spark.read.text(source).rdd.mapPartitions(through(command, options.chunk))
        table = spark.createDataFrame(lines, "kind string, value string")
        table.write.mode("overwrite").partitionBy("kind").text(str(target))
    spark.stop()


if __name__ == "__main__":
    main()
