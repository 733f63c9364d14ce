import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'

/** What is read is in memory until it is stored: a module's answer of many megabytes for each of them. */
const OF_PERSON = 2
const OF_MODULE = 4

/** The readings of resources that go on in this process. */
export class Readings {
  readonly #open = new Set<{ readonly user_id: string; readonly module: string }>()

  /** Goes on until it is disposed of. @throws {AppError} too_many_readings */
  begin(user_id: string, module: string): Disposable {
    const all = [...this.#open]
    if (
      all.filter((one) => one.user_id === user_id).length >= OF_PERSON ||
      all.filter((one) => one.module === module).length >= OF_MODULE
    )
      throw new AppError(
        'too_many_readings',
        say`Too much is being read: ${OF_PERSON} at a time by one person, or ${OF_MODULE} from one module, are the most. Try again in a moment.`,
      )
    const one = { user_id, module }
    this.#open.add(one)
    return { [Symbol.dispose]: () => this.#open.delete(one) }
  }
}
