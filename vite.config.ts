import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

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
    // What most pages share is one file: each of its own costs more in its frame and in the list of files than it saves.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: 'shared', test: /\/web\/(parts|text|client)\/|\/lucide-react\//, minShareCount: 3 }],
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
