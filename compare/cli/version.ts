import { readFileSync } from 'node:fs'
import { packageFile } from '../../assets.ts'

/** This package's version. */
export const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
  version: string
}
