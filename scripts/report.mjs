/**
 * What the launcher says. Everything goes to stderr: stdout belongs to the server's log and the tests' result line.
 */
import process from 'node:process'

export function say(message) {
  process.stderr.write(`${message}\n`)
}

/** A failure that one sentence explains: no stack is printed for it. */
export class Refusal extends Error {}

/** Runs an entry script: a Refusal becomes its sentence, anything else keeps its stack; both end with exit code 1. */
export async function launch(main) {
  try {
    process.exitCode = await main(process.argv.slice(2))
  } catch (error) {
    say(error instanceof Refusal ? `reeve: ${error.message}` : (error?.stack ?? String(error)))
    process.exitCode = 1
  }
}
