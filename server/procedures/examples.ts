import { type Draft, ProcedureFile } from '../../contract/procedure-values.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import certificateExpires from './examples/certificate-expires.json' with { type: 'json' }
import diskFull from './examples/disk-full.json' with { type: 'json' }
import serviceDoesNotStart from './examples/service-does-not-start.json' with { type: 'json' }

const EXAMPLES: Readonly<Record<string, unknown>> = {
  'disk-full': diskFull,
  'service-does-not-start': serviceDoesNotStart,
  'certificate-expires': certificateExpires,
}

/** What the files say to people, in their language. */
const TEXTS = new Map(
  [
    say`Disk is full`,
    say`Shows what fills a disk, then removes old log entries down to a limit.`,
    say`Machine`,
    say`Folder to look into`,
    say`MiB of logs to keep`,
    say`How full each file system is`,
    say`Which folders use the most`,
    say`Remove old log entries`,
    say`How full each file system is now`,
    say`Service does not start`,
    say`Shows the state of a service, its last errors and what the machine is short of, then restarts it.`,
    say`Service, such as nginx.service`,
    say`State of the service`,
    say`What it has said since yesterday`,
    say`Whether a disk is full`,
    say`Whether memory runs short`,
    say`Restart the service`,
    say`State of the service afterwards`,
    say`Certificate expires`,
    say`Shows when the certificates of a machine end, runs their renewal, and has the server read the new ones.`,
    say`Service that renews`,
    say`Service that uses them`,
    say`When the certificates end`,
    say`What the renewal has said this week`,
    say`Renew the certificates`,
    say`Have the server read them`,
    say`When the certificates end now`,
  ].map((sentence) => [sentence.template, sentence]),
)

/** The procedures that ship with Reeve, in a language. */
export function examplesIn(language: string): { example: string; name: string; description: string }[] {
  return Object.keys(EXAMPLES).map((example) => {
    const { name, description } = exampleNamed(example, language)
    return { example, name, description }
  })
}

/** @throws {AppError} not_found */
export function exampleNamed(example: string, language: string): Draft {
  if (!Object.hasOwn(EXAMPLES, example)) throw new AppError('not_found', say`There is no such example.`)
  const { format: _format, ...draft } = ProcedureFile.parse(EXAMPLES[example])
  const read = (text: string): string => TEXTS.get(text)?.in(language) ?? text
  return {
    name: read(draft.name),
    description: read(draft.description),
    params: draft.params.map((param) => ({ ...param, title: read(param.title) })),
    steps: draft.steps.map((step) => ({ ...step, note: read(step.note) })),
  }
}
