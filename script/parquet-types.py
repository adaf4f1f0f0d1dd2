#!/usr/bin/env python3
"""Writes the tables of internal/parquet/testdata (pyarrow 26.0.1, in a virtual environment): one of
each type, with missing values, in files of two row groups and of one."""
import datetime as dt
import decimal

import pyarrow as pa
import pyarrow.parquet as pq

table = pa.table({
    "id": pa.array([1, 2, 3, None], pa.int64()),
    "small": pa.array([1, 255, 3, 4], pa.uint8()),
    "x": pa.array([0.1, float("nan"), None, -2.5e-300], pa.float64()),
    "single": pa.array([0.1, 1.5, None, 3.0], pa.float32()),
    "flag": pa.array([True, False, None, True]),
    "site": pa.array(["A", "B, the second", None, 'say "C"']),
    "kind": pa.array(["u", "v", "u", "u"]).dictionary_encode(),
    "day": pa.array([dt.date(1970, 1, 2), dt.date(2000, 1, 1), None, dt.date(1969, 12, 31)]),
    "when": pa.array([dt.datetime(1970, 1, 1, 0, 0, 1, 500000), None, dt.datetime(2001, 9, 9, 1, 46, 40),
                      dt.datetime(1970, 1, 1)], pa.timestamp("us")),
    "price": pa.array([decimal.Decimal("1.25"), None, decimal.Decimal("-3.00"), decimal.Decimal("0.07")], pa.decimal128(7, 2)),
    "cents": pa.array([7, 8, 9, 10], pa.int32()),
    "list": pa.array([[1, 2], [], None, [3]]),
    "both": pa.array([{"a": 1, "b": 2}] * 4),
    "last": pa.array([4, 3, 2, 1], pa.int16()),
})
pq.write_table(table, "internal/parquet/testdata/types-snappy.parquet", compression="snappy", row_group_size=3)
pq.write_table(table, "internal/parquet/testdata/types-zstd.parquet", compression="zstd", data_page_version="2.0")
