// Starts itself again and again; bounded, so that a broken test does not end the machine.
import { spawn } from 'node:child_process'
import { setInterval } from 'node:timers'
const depth = Number(process.argv[2] ?? 0)
process.stdin.resume()
setInterval(() => undefined, 1000)
for (let i = 0; i < (depth === 0 ? 90 : 0); i += 1) spawn('sleep', ['60'], { stdio: 'ignore', detached: i % 2 === 0 })
