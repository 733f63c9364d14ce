import { statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import process from 'node:process'

/**
 * Loaded before the program of a reader: has Node cache compiled code in the folder `KEPT_PROGRAMS`. Node can do so by
 * itself (NODE_COMPILE_CACHE), but it loops forever looking for the parent of a deleted folder: a reader orphaned by a
 * service that was killed while the reader's sandbox was being set up would then never notice that it is alone.
 */
const folder = process.env['KEPT_PROGRAMS']
if (folder !== undefined && statSync(folder, { throwIfNoEntry: false })?.nlink) enableCompileCache(folder)
