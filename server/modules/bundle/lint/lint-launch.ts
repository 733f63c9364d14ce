import type { LaunchTemplate } from '../manifest/launch-template.ts'
import type { Lint } from './lint.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { reviewLaunch } from '../review/review-launch.ts'

const KNOWN = /^(?:__dirname|HOME|DESKTOP|DOCUMENTS|DOWNLOADS|pathSeparator|\/|user_config\.[^}]+)$/
/** Warnings about this machine rather than the bundle. */
const OF_MACHINE = ['command_missing']

/** Findings about the way a bundle is started. `files`: paths in the bundle. */
export function lintLaunch(manifest: Manifest, template: LaunchTemplate, files: ReadonlySet<string>): Lint[] {
  const lints: Lint[] = reviewLaunch(manifest, template)
    .filter(({ code }) => !OF_MACHINE.includes(code))
    .map(({ code, level, message }) => ({
      code,
      message: message.toString(),
      level: level === 'danger' ? 'error' : level,
      path: code === 'env_dropped' ? 'server.mcp_config.env' : 'server.mcp_config',
    }))
  const texts = [template.command, ...template.args, ...Object.values(template.env)]
  for (const text of texts)
    for (const [whole, name] of text.matchAll(/\$\{([^}]{0,300})\}/g))
      if (!KNOWN.test(name ?? ''))
        lints.push({
          code: 'unknown_variable',
          level: 'warn',
          path: 'server.mcp_config',
          message: `“${whole}” isn't a variable of the format and is left as it is.`,
        })
  for (const text of [template.command, ...template.args]) {
    const path = /^\$\{__dirname\}(?:\/|\$\{\/\})([^$]+)$/.exec(text)?.[1]?.replace(/\/$/, '')
    if (path !== undefined && !files.has(path) && ![...files].some((file) => file.startsWith(`${path}/`)))
      lints.push({
        code: 'file_missing',
        level: 'error',
        path: 'server.mcp_config',
        message: `“${path}” is not in the bundle.`,
      })
  }
  const entry = manifest.server.entry_point.replace(/^\.\//, '')
  if (entry.startsWith('/') || entry.split(/[\\/]/).includes('..'))
    lints.push({
      code: 'entry_outside',
      level: 'error',
      path: 'server.entry_point',
      message: 'It leads out of the bundle.',
    })
  else if (!files.has(entry))
    lints.push({
      code: 'entry_missing',
      level: 'error',
      path: 'server.entry_point',
      message: `“${entry}” is not in the bundle.`,
    })
  return lints
}
