/**
 * Tells whether this folder was made by `npm run package`: if so, everything is present and nothing is ever fetched or
 * built.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './run.mjs'

const PACKAGED = 'dist/packaged.json'

export const isPackaged = () => existsSync(join(ROOT, PACKAGED))
