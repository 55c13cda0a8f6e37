import { cloudflareTest } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'
import './scripts/build.mjs'

/** Nothing but computing, so on every processor at once; by default one of two stays idle. After those with a runtime to start. */
const COMPUTING = { maxWorkers: '100%', sequence: { groupOrder: 1 } }

export default defineConfig({
  test: {
    // The log of a test matters only when it fails.
    silent: 'passed-only',
    projects: [
      { test: { ...COMPUTING, name: 'architecture', include: ['test/architecture/**/*.test.ts'] } },
      {
        test: {
          ...COMPUTING,
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/sitemap/**/*.test.ts', 'test/contract/memory*.test.ts'],
          globalSetup: ['test/support/build-setup.ts'],
          // Some take seconds on a machine with nothing else to do.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...COMPUTING,
          name: 'simulation',
          include: ['test/simulation/**/*.test.ts'],
          globalSetup: ['test/support/build-setup.ts'],
          testTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'commands',
          include: ['test/commands/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Each starts a whole local runtime; two cores do not like several at once.
          fileParallelism: false,
        },
      },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.jsonc' },
            miniflare: {
              // Loopback only: a test that tries to leave the machine fails.
              outboundService: { network: { allow: ['127.0.0.0/8'] } },
            },
          }),
        ],
        test: {
          name: 'workers',
          include: ['test/scenarios/**/*.test.ts', 'test/contract/cloudflare*.test.ts'],
          globalSetup: ['test/support/build-setup.ts', 'test/support/sandbox-setup.ts'],
          testTimeout: 60_000,
        },
      },
    ],
  },
})
