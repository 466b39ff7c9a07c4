import { afterAll } from 'vitest'
import { type CreateContactModel, contactModels } from '../../../contact/index.ts'

const registry: Record<string, CreateContactModel> = contactModels

/** What its line in the registry would do, for the tests of one file: others run in the same process. Of a file whose tests are all skipped no hook runs. */
export function register(name: string, model: CreateContactModel): void {
  registry[name] = model
  afterAll(() => {
    delete registry[name]
  })
}
