/** What the log says when the product has come into a state that is rare in the field, and the state's name here. */
const TOLD: readonly (readonly [state: string, words: string])[] = [
  ['state_dead_run_told', 'an earlier run ended without a word'],
  ['state_lease_from_the_future', 'a lease lies in the future and counts as over'],
  ['state_lease_not_renewed', 'the lease of a run could not be renewed'],
  ['state_run_not_recorded', 'a run could not be recorded'],
  ['state_record_unreadable', 'a stored record is unreadable and is treated as absent'],
  ['state_quota_unreadable', 'a quota record is unreadable'],
  ['state_marks_unreadable', 'stored marks are unreadable'],
  ['state_marks_unsaved', 'marks could not be saved'],
  ['state_site_unusable', 'a stored site cannot be used and is left out'],
  ['state_tick_budget_spent', 'the budget of this tick is spent'],
  ['state_quota_exceeded_by_two', 'audit: more was accepted than the daily quota allows'],
  ['state_quota_used_up', 'quota exhausted, skipping'],
  ['state_waits_for_another_day', 'URLs wait for another day'],
  ['state_last_retry', 'retry 3/3'],
  ['state_given_up', 'given up after 3 retries'],
  ['state_key_file_unknown', 'the key file could not be looked at'],
  ['state_key_file_wrong', 'nothing is sent in this run'],
  ['state_channel_off', 'Bing is off for'],
  ['state_alert_lost', 'an alert could not be delivered'],
  ['state_sitemap_cut', 'a sitemap could not be read whole'],
  ['state_bisected', 'invalid_url'],
]

export function statesIn(line: string): readonly string[] {
  return TOLD.filter(([, words]) => line.includes(words)).map(([state]) => state)
}

/**
 * Each of these has to come up at least this often in 50,000 site-days. A campaign in which one stays away proves nothing about
 * it. The figures are about a fifth of what comes up.
 */
export const EXPECTED_PER_50_000: Readonly<Record<string, number>> = {}

/** What came up too rarely, in words. */
export function missing(counts: ReadonlyMap<string, number>, siteDays: number): readonly string[] {
  return Object.entries(EXPECTED_PER_50_000).flatMap(([name, least]) => {
    const wanted = Math.floor((least * siteDays) / 50_000)
    const seen = counts.get(name) ?? 0
    return seen >= wanted ? [] : [`${name}: ${seen} of at least ${wanted}`]
  })
}
