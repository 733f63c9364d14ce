import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const LIBRARIES =
  /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(router-core|react-router|history|store|react-store|query-core|react-query))\//
const COMMON =
  /\/web\/(uploads|commands|chat\/composer|shell\/palette|parts\/virtual)\/|\/contract\/variables|@tanstack\/(react-)?virtual/

/** How the browser interface is built: `web/` becomes `dist/web/`, which the server hands out as it is. */
export default defineConfig({
  root: 'web',
  base: '/',
  plugins: [react(), tailwindcss()],
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
