-- The language server of Lawspeaker for rule files, records and casebooks.
vim.filetype.add({ extension = { law = "law", record = "lawspeaker-record" } })
vim.lsp.config("lawspeaker", {
  cmd = { "lawspeaker", "lsp" },
  filetypes = { "law", "lawspeaker-record", "markdown" },
})
vim.lsp.enable("lawspeaker")

vim.api.nvim_create_autocmd("FileType", {
  pattern = { "law", "lawspeaker-record" },
  callback = function() vim.bo.commentstring = "// %s" end,
})
vim.api.nvim_create_autocmd("BufWritePre", {
  pattern = "*.law",
  callback = function() vim.lsp.buf.format({ name = "lawspeaker" }) end,
})
