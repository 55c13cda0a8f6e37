import { defineConfig } from 'vitest/config'

/** The unit tests that answer for the files named in stryker.config.json: each of them runs for every change. */
export default defineConfig({
  test: {
    include: [
      'test/unit/bing-policy.test.ts',
      'test/unit/indexnow-policy.test.ts',
      'test/unit/mark.test.ts',
      'test/unit/mark-merge.test.ts',
      'test/unit/mark-table.test.ts',
      'test/unit/quota-manager.test.ts',
      'test/unit/retry.test.ts',
      'test/unit/security/doors.test.ts',
      'test/unit/url-cache.test.ts',
      'test/unit/what-is-left.test.ts',
    ],
    testTimeout: 60_000,
  },
})
