// Says where a declaration begins: where something other than a comment or a closing brace stands at the left margin.

#include "tree_sitter/parser.h"

enum { MARGIN, NEVER };

void *tree_sitter_law_external_scanner_create(void) { return NULL; }
void tree_sitter_law_external_scanner_destroy(void *payload) {}
unsigned tree_sitter_law_external_scanner_serialize(void *payload, char *buffer) { return 0; }
void tree_sitter_law_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {}

bool tree_sitter_law_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  // All is valid only while the parser recovers from an error.
  if (!valid[MARGIN] || valid[NEVER]) return false;
  while (lexer->lookahead == ' ' || lexer->lookahead == '\t' || lexer->lookahead == '\r' || lexer->lookahead == '\n' ||
         lexer->lookahead == 0xFEFF) {
    lexer->advance(lexer, true);
  }
  if (lexer->eof(lexer) || lexer->get_column(lexer) != 0) return false;
  if (lexer->lookahead == '/' || lexer->lookahead == '}') return false;
  lexer->mark_end(lexer);
  lexer->result_symbol = MARGIN;
  return true;
}
