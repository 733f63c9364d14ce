import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const LIBRARIES =
  /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(router-core|react-router|history|store|react-store|query-core|react-query))\//
const COMMON =
  /\/web\/(uploads|commands|chat\/composer|shell\/palette|parts\/virtual)\/|\/contract\/variables|@tanstack\/(react-)?virtual/

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
  plugins: [react(), tailwindcss(), oneFontFormat(), firstScript()],
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
            { name: 'icons', test: /\/lucide-react\//, minShareCount: 2, priority: 2 },
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
            { name: 'shared', test: /\/web\/(parts|text|client)\//, minShareCount: 3, priority: 2 },
            // What the chat has in common with files, tables or the palette.
            { name: 'common', test: COMMON, minShareCount: 2, priority: 1, includeDependenciesRecursively: false },
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
