/** Worlds that have shown a bug of the product. They run before all others. */
export const FOUND_SEEDS: readonly { readonly seed: number; readonly bug: string }[] = [
  { seed: 2, bug: 'a run that died was forgotten when the next one died at once' },
  { seed: 4, bug: 'the quota of a day was written twice within a second' },
  { seed: 25, bug: 'the history was written twice within a second after its first write had failed' },
  { seed: 65, bug: 'a lease by a clock a minute ahead counted as absent, and its dead run was not told of' },
  { seed: 1357, bug: 'a file that changed right after it was read was skipped, by a clock that was behind' },
  { seed: 9, bug: 'a run that another one took for dead was in the history twice' },
  { seed: 44, bug: 'a URL was written off because a request with it alone was called too large' },
]
