import type { Reader } from '../db/database.ts'
import { say } from '../kernel/sentence.ts'
import { contentOf } from './content.ts'
import { versionProblem } from './plan.ts'
import { peopleOf } from './procedure-rows.ts'
import type { ProceduresContext } from './procedures-context.ts'
import { fillIn, referencesIn } from './references.ts'
import { valuesProblem } from './values.ts'

/**
 * The version of a procedure that runs now: who wrote and reviewed it, what stands in its way, and its steps. Fills the port
 * of accounts, which explain who may run it.
 */
export async function explainedProcedure(
  reader: Reader,
  procedure_id: string,
  values: Record<string, unknown> | null,
  { judge, hosts }: Pick<ProceduresContext, 'judge' | 'hosts'>,
) {
  const row = await reader
    .selectFrom('procedure')
    .selectAll()
    .where('procedure_id', '=', procedure_id)
    .executeTakeFirst()
  if (row === undefined) return null
  const version = await reader
    .selectFrom('procedure_version')
    .selectAll()
    .where('procedure_id', '=', procedure_id)
    .where('version', '=', row.current_version)
    .executeTakeFirst()
  if (version === undefined) {
    const problem = say`It has no reviewed version, so nothing of it runs.`
    return { name: row.name, content_hash: '', review: null, problem, steps: [] }
  }
  const people = await peopleOf(reader, [{ row, versions: [version] }])
  const nameOf = (user_id: string | null) => (user_id === null ? null : (people.get(user_id) ?? null))
  const { params, steps } = contentOf(version)
  const wrong = values === null ? null : valuesProblem(params, values, { judge, hosts: hosts.known() })
  return {
    name: version.name,
    content_hash: version.content_hash,
    review: {
      version: version.version,
      author: nameOf(version.author_id),
      reviewer: nameOf(version.reviewer_id),
    },
    problem: versionProblem(version) ?? wrong?.why ?? null,
    steps: steps.map((step) => ({
      ...step,
      arguments:
        values === null && referencesIn(step.arguments).found.length > 0
          ? null
          : (fillIn(step.arguments, values ?? {}) as Record<string, unknown>),
    })),
  }
}
