'use strict'
// Progress, cancelling, a longer deadline, a destructive tool with a sentence for the card, and a question in the middle of a call.
const { mkdir, readdir, rm, writeFile } = require('node:fs/promises')
const { join } = require('node:path')
const { setTimeout: wait } = require('node:timers/promises')
const { serve, ToolError } = require('./mcp.js')
const { version } = require('./manifest.json')

// HOME is the module's own folder, the only place it may write to without a grant.
const RESULTS = join(process.env.HOME, 'results')
const job = {
  type: 'string',
  pattern: '^[a-z0-9-]{1,40}$',
  description: 'Name of the job: lower-case letters, digits, hyphens',
}

serve({
  name: 'jobs',
  version,
  tools: [
    {
      name: 'run_job',
      title: 'Run a job',
      description: 'Runs a job of up to 100 steps and stores a result for each. Use it when the person names a job.',
      inputSchema: {
        type: 'object',
        properties: { job, steps: { type: 'integer', minimum: 1, maximum: 100, description: 'How many steps' } },
        required: ['job', 'steps'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      _meta: { 'dev.reeve': { deadline_ms: 600_000, summary: 'Run the job {job} with {steps} steps' } },
      async run({ job: name, steps }, { signal, progress }) {
        const folder = join(RESULTS, name)
        await mkdir(folder, { recursive: true })
        for (let step = 1; step <= steps; step++) {
          progress(`Step ${step} of ${steps}`)
          // Throws when the call is stopped: what was stored so far stays, and the next run writes it again.
          await wait(50, undefined, { signal })
          await writeFile(join(folder, `${step}.txt`), `Result of step ${step}\n`)
        }
        return `${steps} steps of ${name} are done.`
      },
    },
    {
      name: 'remove_results',
      title: 'Remove results',
      description: 'Removes all results of a job for good. Asks how many are expected first.',
      inputSchema: { type: 'object', properties: { job }, required: ['job'], additionalProperties: false },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      _meta: { 'dev.reeve': { summary: 'Remove all results of the job {job}' } },
      async run({ job: name }, { ask }) {
        const folder = join(RESULTS, name)
        const there = await readdir(folder).catch(() => [])
        if (there.length === 0) throw new ToolError(`There are no results of ${name}.`)
        const count = {
          type: 'integer',
          title: 'Results',
          description: 'How many results do you expect to lose?',
          minimum: 0,
        }
        const answer = await ask(`${name} has results. They are removed for good.`, { count }, ['count'])
        if (answer === null) throw new ToolError('Nothing was removed: the person did not confirm it.')
        if (answer.count !== there.length)
          throw new ToolError(`Nothing was removed: there are ${there.length} results, not ${answer.count}.`)
        await rm(folder, { recursive: true })
        return `${there.length} results of ${name} are removed.`
      },
    },
  ],
})
