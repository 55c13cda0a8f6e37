import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { SETTING_NAMES } from '../../src/settings'

/** The settings of `.dev.vars`, and over them those of the environment. Empty ones count as absent. */
export function readVars(file: string, env: NodeJS.ProcessEnv): Record<string, string> {
  let vars: Record<string, string> = {}
  try {
    vars = { ...(parseEnv(readFileSync(file, 'utf8')) as Record<string, string>) }
  } catch {
    // No such file: the environment alone decides.
  }
  for (const name of SETTING_NAMES) {
    const value = env[name]
    if (value !== undefined) vars[name] = value
  }
  return Object.fromEntries(Object.entries(vars).filter(([, value]) => value.trim() !== ''))
}
