import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { SETTING_NAMES } from '../../src/settings'

/** The settings of `.dev.vars`, and over them those of the environment. Empty ones count as absent. */
export function readVars(file: string, env: NodeJS.ProcessEnv): Record<string, string> {
  let vars: Record<string, string> = {}
  try {
    vars = { ...(parseEnv(readFileSync(file, 'utf8')) as Record<string, string>) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // No such file: the environment alone decides.
    if (code !== 'ENOENT')
      throw new Error(`${file} cannot be read (${code}): make it a file that you may read, or remove it.`)
  }
  const take = (name: string) => {
    const value = env[name]
    if (value !== undefined) vars[name] = value
  }
  for (const name of SETTING_NAMES) take(name)
  // A key given as env:NAME is a secret of the Worker; here the environment stands in for its secrets.
  for (const value of Object.values(vars)) if (value.startsWith('env:')) take(value.slice('env:'.length))
  return Object.fromEntries(Object.entries(vars).filter(([, value]) => value.trim() !== ''))
}
