/**
 * Output of the launcher. All of it goes to stderr, because stdout belongs to the server's log and the tests' result
 * line.
 */
import process from 'node:process'

export function say(message) {
  process.stderr.write(`${message}\n`)
}

/** A failure that one sentence explains, printed without a stack. */
export class Refusal extends Error {}

/** A signal ended the work; `code` is the exit code that a shell would report. */
export class Ended extends Error {
  constructor(code) {
    super('ended by a signal')
    this.code = code
  }
}

/**
 * Runs an entry script. A Refusal is printed as its sentence, any other error with its stack, both with exit code 1; a
 * signal has its own code.
 */
export async function launch(main) {
  try {
    process.exitCode = await main(process.argv.slice(2))
  } catch (error) {
    process.exitCode = error instanceof Ended ? error.code : 1
    if (error instanceof Ended) return
    say(error instanceof Refusal ? `reeve: ${error.message}` : (error?.stack ?? String(error)))
  }
}
