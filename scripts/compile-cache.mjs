/**
 * Loaded before the service and each command: caches compiled sources in the data folder, which halves the start time.
 * Only in a folder of our own account, because the service could not replace files left there by root.
 */
import { mkdirSync, statSync } from 'node:fs'
import module from 'node:module'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { ROOT } from './run.mjs'

const folder = resolve(ROOT, process.env.REEVE_DATA_DIR || 'data')

if (!process.env.NODE_COMPILE_CACHE && statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.()) {
  try {
    mkdirSync(join(folder, 'compile-cache'), { recursive: true, mode: 0o700 })
    module.enableCompileCache(join(folder, 'compile-cache'))
  } catch {
    // On a full or read-only disk the start takes longer, and reports what is wrong.
  }
}
