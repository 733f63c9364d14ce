import { execFile } from 'node:child_process'

const EVERY = 5 * 60_000
/** After no answer: where systemd does not manage the machine it never will, and at boot it may be late. */
const AGAIN = 15 * 60_000
const WITHIN = 2000
const ARGUMENTS = ['list-units', '--state=failed', '--type=service', '--plain', '--no-legend', '--no-pager']

/** How many services of systemd have failed. Asking starts a process, so it is done every few minutes. */
export class FailedServices {
  readonly #program: string
  #known: number | null = null
  #asked = -Infinity
  #asking: Promise<void> | null = null

  constructor(program = 'systemctl') {
    this.#program = program
  }

  /** Null where there is no systemctl, systemd does not manage the machine, or no answer came in two seconds. */
  async count(): Promise<number | null> {
    const now = performance.now()
    if (now - this.#asked >= (this.#known === null ? AGAIN : EVERY)) {
      this.#asked = now
      this.#asking = this.#ask().finally(() => (this.#asking = null))
    }
    // What was known is told meanwhile: nobody waits for systemd twice.
    if (this.#known === null) await this.#asking
    return this.#known
  }

  async #ask(): Promise<void> {
    // Nothing of ours is its business, and its answer must not depend on the language of the machine.
    const env = { PATH: process.env['PATH'], LC_ALL: 'C', SYSTEMD_COLORS: '0' }
    const options = { env, timeout: WITHIN, killSignal: 'SIGKILL', maxBuffer: 1024 * 1024 } as const
    this.#known = await new Promise((resolve) => {
      execFile(this.#program, ARGUMENTS, options, (error, stdout) => resolve(error ? null : countFailed(stdout)))
    })
  }
}

/** Lines of `UNIT LOAD ACTIVE SUB DESCRIPTION`, before which some versions put a mark. */
function countFailed(answer: string): number {
  return answer.split('\n').filter((line) => /^\W*\S+\.service\s+\S+\s+failed\s/.test(`${line} `)).length
}
