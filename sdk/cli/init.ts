import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { moduleSlug } from '../../server/modules/bundle/manifest/module-slug.ts'
import { filesIn } from '../files-in.ts'
import { UsageError } from './usage-error.ts'

/** What a new module says of itself. */
export interface AboutModule {
  readonly name: string | undefined
  readonly description: string | undefined
  readonly author: string | undefined
}

export interface InitOptions extends AboutModule {
  readonly template: string
}

const FILLED = /\.(js|ts|py|json|md)$/

/** Creates a new module from a template in `folder`, which must be empty or missing. Returns the paths written. */
export async function init(kit: string, folder: string, options: InitOptions): Promise<string[]> {
  const templates = join(kit, 'templates')
  const known = await readdir(templates)
  if (!known.includes(options.template))
    throw new UsageError(`There is no template ${options.template}. There are ${known.sort().join(', ')}.`)
  await refuseFilled(folder)

  const display_name = options.name ?? basename(resolve(folder))
  const values: Record<string, string> = {
    name: moduleSlug(display_name),
    display_name,
    description: options.description ?? `What ${display_name} is for, in one sentence`,
    author: options.author ?? 'Somebody',
  }
  await mkdir(folder, { recursive: true })
  await cp(join(templates, options.template), folder, { recursive: true })
  const written = await filesIn(folder)
  for (const path of written.filter((each) => FILLED.test(each))) {
    const text = await readFile(join(folder, path), 'utf8')
    const escape = path.endsWith('.json')
    await writeFile(
      join(folder, path),
      text.replaceAll(/\{\{(\w+)\}\}/g, (all, key: string) => {
        const value = values[key]
        return value === undefined ? all : escape ? JSON.stringify(value).slice(1, -1) : value
      }),
    )
  }
  return written
}

/** @throws {UsageError} when there is something in the folder. */
export async function refuseFilled(folder: string): Promise<void> {
  if ((await readdir(folder).catch(() => [])).length > 0)
    throw new UsageError(`${folder} is not empty. Name a folder that does not exist yet.`)
}
