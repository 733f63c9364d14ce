import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const LIBRARIES =
  /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(router-core|react-router|history|store|react-store|query-core|react-query))\//
const COMMON =
  /\/web\/(uploads|commands|arguments|chat\/composer|shell\/palette|parts\/virtual)\/|\/chat\/thread\/(use-conversation|conversation-state)\.|\/contract\/variables|@tanstack\/(react-)?virtual/
const ICON = /\/lucide-react\/dist\/esm\//
const SHARED = /\/web\/(parts|text|client)\//

/** The modules that `main` and the chat import, however indirectly, and no others: what the first load executes. */
const firstLoad = new Set<string>()
const FIRST = /\/web\/(shell\/main|pages\/chat)\.tsx$/
const ICONS = /\/lucide-react\.mjs$/

/** Fills `firstLoad` once all modules are known. */
function findFirstLoad(): Plugin {
  return {
    name: 'find-first-load',
    apply: 'build',
    buildEnd() {
      const icons = new Set<string>()
      const waiting = [...this.getModuleIds()].filter((id) => FIRST.test(id))
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        // This one module imports every icon: those of the first load are the ones whose names its modules import.
        if (firstLoad.has(id) || ICONS.test(id)) continue
        firstLoad.add(id)
        const module = this.getModuleInfo(id)
        waiting.push(...(module?.importedIds ?? []))
        const [, names] = /import \{([^}]*)\} from "lucide-react"/.exec(module?.code ?? '') ?? []
        for (const name of names?.split(',') ?? []) icons.add(`default as ${name.trim().replace(/ as .*/, '')}`)
      }
      for (const index of [...this.getModuleIds()].filter((id) => ICONS.test(id)))
        for (const [, names, file] of this.getModuleInfo(index)?.code?.matchAll(
          /export \{ ([^}]*) \} from '\.([^']+)/g,
        ) ?? [])
          if (names?.split(', ').some((name) => icons.has(name)) === true)
            firstLoad.add(index.replace(ICONS, `${file}`))
    },
  }
}

/**
 * The script that runs before the first paint is no module, so that Vite leaves it alone: it gets a hashed name here, and
 * with it the caching of the other files. Otherwise every visit would wait for the server to say that it is unchanged.
 */
function firstScript(): Plugin {
  const path = '/theme.js'
  return {
    name: 'first-script',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = bundle['index.html']
      if (page?.type !== 'asset') throw new Error('There is no index.html.')
      const source = readFileSync(new URL(`web/public${path}`, import.meta.url))
      const file = this.emitFile({ type: 'asset', name: 'theme.js', source })
      page.source = String(page.source).replace(path, `/${this.getFileName(file)}`)
    },
  }
}

/** Of the fonts for formulas only the format that every browser reads: the other two would triple them. */
function oneFontFormat(): Plugin {
  return {
    name: 'one-font-format',
    enforce: 'pre',
    transform: {
      filter: { id: /katex\.min\.css$/ },
      handler: (css) => css.replaceAll(/,url\([^)]*\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)/g, ''),
    },
  }
}

/** How the browser interface is built: `web/` becomes `dist/web/`, which the server hands out as it is. */
export default defineConfig({
  root: 'web',
  base: '/',
  plugins: [react(), findFirstLoad(), tailwindcss(), oneFontFormat(), firstScript()],
  resolve: { alias: { 'react-remove-scroll': fileURLToPath(new URL('web/shell/remove-scroll.tsx', import.meta.url)) } },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy has no data: for fonts, and a hashed file is cached better than an inlined one.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What pages share is in few files: each of its own costs more in its frame, its request and the list of files than
    // it saves. The libraries that every page needs have their own, which an upgrade of Reeve seldom changes.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'libraries', test: LIBRARIES, priority: 3 },
            // Of what pages share, the first load has only what it needs itself.
            { name: 'icons', test: (id) => ICON.test(id) && firstLoad.has(id), priority: 3 },
            { name: 'other-icons', test: ICON, minShareCount: 2, priority: 2 },
            // The chat has none.
            {
              name: 'tabs',
              test: /\/web\/parts\/controls\/tab/,
              minShareCount: 2,
              priority: 3,
              includeDependenciesRecursively: false,
            },
            // Nor has it lists that are filtered, or forms that ask before they are left.
            {
              name: 'page-parts',
              test: /\/web\/parts\/(filters\/|layout\/(confirm-dialog|unsaved-changes))/,
              minShareCount: 2,
              priority: 3,
              includeDependenciesRecursively: false,
            },
            { name: 'shared', test: (id) => SHARED.test(id) && firstLoad.has(id), priority: 3 },
            {
              name: 'other-shared',
              test: SHARED,
              minShareCount: 3,
              priority: 1,
              includeDependenciesRecursively: false,
            },
            // What the chat has in common with files, tables or the palette.
            {
              name: 'common',
              test: (id) => COMMON.test(id) && firstLoad.has(id),
              priority: 1,
              includeDependenciesRecursively: false,
            },
            {
              name: 'other-common',
              test: COMMON,
              minShareCount: 2,
              priority: 1,
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
    },
    reportCompressedSize: true,
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': { target: process.env['REEVE_DEV_SERVER'] ?? 'http://127.0.0.1:8080' } },
  },
})
