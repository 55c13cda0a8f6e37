/** Why something is as it is: stable codes that records, lists and answers use, with what they mean. */
export interface Reason {
  /** `{…}` stands for the part that varies. */
  readonly code: string
  readonly meaning: string
}

export const REASONS: readonly Reason[] = [
  // Of a URL at an engine
  { code: 'accepted', meaning: 'The engine accepted it.' },
  {
    code: 'rejected',
    meaning: 'The engine refused this URL for good; it is sent again when its lastmod changes.',
  },
  {
    code: 'not_sent',
    meaning:
      'No run has sent it yet: it is new, the last run did not get to it, or it is in no sitemap of the site.',
  },
  { code: 'mark_expired', meaning: 'It was accepted longer ago than cacheTtlDays, and is sent again.' },
  { code: 'not_before', meaning: 'The engine asked to be left alone for a while; it is sent after that.' },
  { code: 'quota', meaning: 'The daily quota is used up; it goes on the next day (UTC).' },
  { code: 'budget', meaning: 'The run had used up its time or its requests; the next tick goes on.' },
  {
    code: 'throttled',
    meaning: 'The engine said: too many requests (429), and still did after the retries.',
  },
  { code: 'server_error', meaning: 'The engine had trouble of its own.' },
  {
    code: 'server_error_{status}',
    meaning: 'The engine had trouble of its own and answered with this status.',
  },
  { code: 'network', meaning: 'No connection to the engine.' },
  { code: 'timeout', meaning: 'No whole answer in time.' },
  { code: 'unreadable_answer', meaning: 'The engine answered with something that is none of its answers.' },
  {
    code: 'engine_set_aside',
    meaning: 'The engine failed too often in this run and was left alone for its rest.',
  },
  {
    code: 'address_refused',
    meaning: 'The engine’s address may not be asked: it is private, or on an odd port.',
  },
  {
    code: 'redirected',
    meaning: 'The endpoint has moved. Keys do not follow redirects: set its new address.',
  },
  {
    code: 'key_refused',
    meaning: 'The engine refused the key. Check the key file, or the key of the account.',
  },
  {
    code: 'key_check_pending',
    meaning: 'The engine has not fetched the key file yet; it is sent again in minutes.',
  },
  { code: 'urls_refused', meaning: 'The engine refused the request for the URLs in it.' },
  { code: 'refused_{status}', meaning: 'The engine refused the request with this status.' },
  {
    code: 'site_refused',
    meaning: 'The account at Bing does not hold this site, or it is not verified there.',
  },
  { code: 'request_refused', meaning: 'The engine refused the request as such, whatever the URLs in it.' },
  { code: 'invalid_url', meaning: 'The engine says that this is no URL of the site.' },
  {
    code: 'too_many_urls',
    meaning: 'The engine takes fewer URLs in one request; they are sent in smaller ones.',
  },
  {
    code: 'too_many_bad_urls',
    meaning: 'Too many URLs of a batch were refused to find them one by one in this run; the next goes on.',
  },
  { code: 'outside_key_folder', meaning: 'The key file lies in a folder, and speaks for that folder only.' },
  { code: 'egress_throttled', meaning: 'Bing throttles the network the service runs in.' },
  {
    code: 'indexnow_key_unusable',
    meaning: 'The apiKey names a secret that is missing or is no IndexNow key.',
  },
  { code: 'bing_key_unusable', meaning: 'The bingApiKey names a secret that is missing.' },
  // Of a run
  {
    code: '{channel}_off',
    meaning: 'The channel is off for this site since its engine refused it; /status says why.',
  },
  {
    code: '{channel}_switched_off',
    meaning: 'The engine refused key or site for good; the channel is off from now on.',
  },
  {
    code: '{channel}_quota_unreadable',
    meaning: 'What was used of the quota cannot be read; nothing is sent today.',
  },
  { code: 'channel_broke_off', meaning: 'A channel broke off; the others went on. The log says more.' },
  {
    code: 'budget_too_small',
    meaning: 'RUN_REQUEST_BUDGET is less than the site needs to submit anything at all.',
  },
  { code: 'crawl_budget', meaning: 'The budget ended before the last sitemap; the next tick goes on there.' },
  { code: 'internal_error', meaning: 'The run broke off; the log says what happened.' },
  {
    code: 'marks_not_saved',
    meaning: 'The store took no writes; nothing more is sent that could not be remembered.',
  },
  { code: 'interrupted', meaning: 'The run ended without a word, and was recorded by the next one.' },
  { code: 'failure_rate', meaning: 'More than a tenth of a channel’s URLs failed or were rejected.' },
  { code: 'sitemap_unreachable', meaning: 'No sitemap of the site could be read.' },
  // Of a check
  { code: 'ok', meaning: 'As it should be.' },
  { code: 'key_file_missing', meaning: 'The key file is not where keyLocation says.' },
  { code: 'key_file_bot_wall', meaning: 'A page that checks for robots answers in place of the key file.' },
  { code: 'key_file_wrong', meaning: 'The key file holds something else than the key.' },
  {
    code: 'key_file_{trouble}',
    meaning: 'The key file could not be read: network, timeout, guard or budget.',
  },
  { code: 'engine_{trouble}', meaning: 'The engine did not answer: network, timeout, guard or budget.' },
  { code: 'bing_{trouble}', meaning: 'Bing did not answer: network, timeout, guard or budget.' },
  { code: 'no_endpoint', meaning: 'The engine has no IndexNow endpoint at this address.' },
  { code: 'same_host', meaning: 'Another site looks after the same host.' },
  // Of a loc in a sitemap
  { code: 'bad_url', meaning: 'Left out: it is no URL.' },
  { code: 'not_http', meaning: 'Left out: neither http nor https.' },
  { code: 'credentials', meaning: 'Left out: it carries a user name or password.' },
  { code: 'other_host', meaning: 'Left out: its host is not the host of the site.' },
  { code: 'too_long', meaning: 'Left out: longer than 2,048 characters.' },
  { code: 'duplicate', meaning: 'Left out: listed before in the same run.' },
  // Of a sitemap
  { code: 'host_mismatch', meaning: 'Most URLs of the sitemap are on another host than the site: set host.' },
  { code: 'sitemap_http_{status}', meaning: 'The sitemap answered with this status.' },
  { code: 'sitemap_bot_wall', meaning: 'A page that checks for robots answers in place of the sitemap.' },
  { code: 'sitemap_not_a_sitemap', meaning: 'The address answers with something else, such as a web page.' },
  { code: 'sitemap_empty', meaning: 'The sitemap lists no URL that can be submitted.' },
  {
    code: 'sitemap_malformed',
    meaning: 'The sitemap is not well formed; the entries before the damage count.',
  },
  { code: 'sitemap_truncated', meaning: 'The sitemap ends in the middle; the entries before the end count.' },
  { code: 'sitemap_too_large', meaning: 'The sitemap is larger than 50 MiB; the entries before that count.' },
  { code: 'sitemap_too_deep', meaning: 'Left out: a sitemap more than five levels below the first.' },
  { code: 'sitemap_network', meaning: 'No connection to the sitemap’s host.' },
  { code: 'sitemap_timeout', meaning: 'The sitemap did not arrive in time.' },
  { code: 'sitemap_guard', meaning: 'The sitemap’s address, or one it redirects to, may not be asked.' },
  { code: 'sitemap_redirects', meaning: 'The sitemap redirects too often, or to an unreadable address.' },
  { code: 'sitemap_bad_url', meaning: 'Left out: the address of a child sitemap is no URL.' },
  { code: 'sitemap_not_http', meaning: 'Left out: a child sitemap that is neither at http nor at https.' },
  { code: 'sitemap_credentials', meaning: 'Left out: a child sitemap with a user name or password.' },
  { code: 'sitemap_other_host', meaning: 'Left out: a child sitemap on a host that is not the site’s.' },
  {
    code: 'sitemap_too_long',
    meaning: 'Left out: a child sitemap with an address of more than 2,048 characters.',
  },
  { code: 'sitemap_too_many', meaning: 'Left out: more than 50,000 child sitemaps.' },
  { code: 'sitemap_more', meaning: 'More sitemaps were in trouble than are listed one by one.' },
  {
    code: 'sitemap_shrunk',
    meaning: 'The sitemap holds less than half of what it held. Nothing is forgotten.',
  },
  { code: 'lastmods_moved', meaning: 'Most lastmods are new at once, which engines stop trusting.' },
]

const PATTERNS = REASONS.map(({ code, meaning }) => {
  const pattern = code.replace(/\{\w+\}/g, '[\\w.]+')
  return { pattern: new RegExp(`^${pattern}$`), meaning }
})

/** What a code means, or null for one that is not in the list. */
export function meaningOf(code: string): string | null {
  return PATTERNS.find(({ pattern }) => pattern.test(code))?.meaning ?? null
}
