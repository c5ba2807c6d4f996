//! Work on several things at a time whose results come in order (`--jobs`).

/// What `work` makes of each item, in the order of the items.
///
/// Items are dealt out in turn, so that neighbours of one size share the load.
pub(super) fn in_order<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let jobs = jobs.clamp(1, items.len().max(1));
    if jobs == 1 {
        return items.iter().map(work).collect();
    }
    let mut lanes: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs)
            .map(|lane| {
                let work = &work;
                let own = items.iter().skip(lane).step_by(jobs);
                scope.spawn(move || own.map(work).collect::<Vec<R>>())
            })
            .collect();
        let joined = workers.into_iter().map(|worker| match worker.join() {
            Ok(results) => results.into_iter(),
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    });
    (0..items.len())
        .filter_map(|index| lanes[index % jobs].next())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::in_order;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        let expected: Vec<usize> = items.iter().map(|item| item * 2).collect();
        for jobs in [0, 1, 2, 3, 7, 100, 1000] {
            assert_eq!(in_order(&items, jobs, |item| item * 2), expected, "{jobs}");
        }
        assert!(in_order(&[], 4, |item: &usize| *item).is_empty());
    }
}
