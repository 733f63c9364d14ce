#!/usr/bin/env node
import './node-20.ts'
import { dirname } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { moduleProgram } from './module-program.ts'

// The program is in bin/ of the kit.
const kit = dirname(dirname(fileURLToPath(import.meta.url)))
process.exitCode = await moduleProgram(process.argv.slice(2), { program: 'node bin/module-sdk.mjs', kit })
