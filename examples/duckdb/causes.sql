-- Which causes cost the most? Over the reports of
--   convo diff-cache-prefix --format json requests.jsonl > reports.jsonl
SELECT divergence.cause AS cause,
       count(*) AS pairs,
       sum(report.lost_bytes) AS lost_bytes
FROM (
    SELECT unnest(divergences) AS divergence, lost.bytes AS lost_bytes
    FROM read_json('reports.jsonl', format = 'newline_delimited', union_by_name = true)
    WHERE divergences IS NOT NULL
) AS report
GROUP BY cause
ORDER BY lost_bytes DESC, cause;
