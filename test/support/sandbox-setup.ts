import type { TestProject } from 'vitest/node'
import { startSandboxFactory } from '../../sandbox/sandbox-factory'

declare module 'vitest' {
  interface ProvidedContext {
    sandboxFactory: string
  }
}

/** One factory of pretend internets for the whole run; each test makes its own world. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const factory = await startSandboxFactory()
  project.provide('sandboxFactory', factory.url)
  return () => factory.close()
}
