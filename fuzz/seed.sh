#!/bin/sh
# Writes fuzz/corpus and fuzz/dict: the inputs that earlier runs found, and the files of the repository. What is in
# fuzz/corpus already stays there.
set -eu
cd "$(dirname "$0")"
for target in rules tables cases records positions lists command_line in_step; do
  mkdir -p "corpus/$target"
done
mkdir -p dict
tar -xJf corpus.tar.xz -C corpus

# The name of a seed: its path with - for /.
name() { echo "seed-$1" | sed 's|\.\./||g; s|/|-|g'; }

# Rules: one file, or the files of a small game with a line before each.
for file in ../tests/rules/*.law ../tests/check/*.law ../tests/check/fine/*.law; do
  cp "$file" "corpus/rules/$(name "$file")"
done
for game in ../rules/classics/tic-tac-toe ../rules/classics/leduc-holdem ../rules/classics/connect-four ../tests/check/fine/grid; do
  for file in "$game"/*.law "$game"/*.csv "$game"/*.tsv; do
    [ -f "$file" ] || continue
    case "$file" in *perft.tsv) continue ;; esac
    printf '==== %s\n' "$(basename "$file")"
    cat "$file"
  done > "corpus/rules/$(name "$game")"
done
for file in ../rules/confrontation/*.law; do
  head -c 4000 "$file" > "corpus/rules/$(name "$file")"
done

# Tables.
{ printf '==== hexes.csv\n'; cat ../tests/rules/grids-hexes.csv; } > corpus/tables/seed-hexes
{ printf '==== sides.csv\n'; cat ../tests/rules/grids-sides.csv; } > corpus/tables/seed-sides
printf '==== hexes.csv\nid,name,ja,row,column,high,price,kin,over\nA1,"A, one",é,1,1,yes,-3,A2;A1,A2\nA2,"""two""",,2,1,no,,A1|A2,\n' > corpus/tables/seed-quotes
printf '==== sides.csv\nfrom,to,river,line,deep\nA2,A1,,Water,3\n==== hexes.csv\nid,row,column\nA1,1,1\nA2,1,2\n' > corpus/tables/seed-both
{ printf '==== clauses.tsv\n'; head -c 1500 ../rules/confrontation/clauses.tsv; } > corpus/tables/seed-register

# Cases one by one, and the positions in them.
rm -f corpus/cases/seed-* corpus/positions/seed-*
for file in ../tests/rules/*.md ../rules/classics/tic-tac-toe/cases/*.md ../rules/classics/leduc-holdem/cases/*.md ../rules/confrontation/cases/setup.md; do
  awk -v to="corpus/cases/$(name "$file")" -v at="corpus/positions/$(name "$file")" '
    /^```case/ { inside = 1; next }
    /^```/ { inside = 0; part = ""; next }
    inside && /^case / { n++; part = "" }
    inside && n <= 12 {
      if (!(n in begun)) { print "```case" > (to "-" n); begun[n] = 1 }
      print > (to "-" n)
      if (/^given/) part = "given"
      if (/^then/) part = ""
      if (part != "") print > (at "-" n)
    }' "$file"
done
for file in ../rules/*/positions/*.position ../rules/classics/*/positions/*.position; do
  [ -f "$file" ] && cp "$file" "corpus/positions/$(name "$file")"
done

# Records.
for file in ../rules/confrontation/records/*.record ../rules/classics/leduc-holdem/records/*.record ../tests/records/broken/*.record; do
  cp "$file" "corpus/records/$(name "$file")"
done

# Lists.
printf 'band for muster with points 300, leaders any\nCaptain of the Guard\n  3x Archer, Watcher, the Pale // in all five\n2 \345\274\223\345\205\265\n' > corpus/lists/seed-band
printf 'pack for muster\n3 Ghoul\nArcher, Archer\n' > corpus/lists/seed-pack
printf '// none\nband for muster\n' > corpus/lists/seed-empty

# Command lines, one word a line; the examples of the commands and some of the files here.
rm -f corpus/command_line/seed-*
i=0
grep -rhoE '(^ *\$? *|`)lawspeaker [a-z][^`|>\\]*' ../src/cli ../README.md ../docs | sed "s/^[ \`$]*lawspeaker //; s/['\"]//g" | sort -u |
while read -r line; do
  i=$((i + 1))
  echo "$line" | tr -s ' ' '\n' > "corpus/command_line/seed-$i"
done
printf 'ask\ntiny\n--at\none.position\nwalk to B\n--why\n--json' > corpus/command_line/seed-ask
printf 'ask\ntiny\n--at\none.record\n--ply\n2\n--seat\nTwo\n--seen\nsit\n--format\nhtml\n--readings\nall' > corpus/command_line/seed-ask-record
printf 'replay\none.record\n--game\ntiny\n--explain\n--board\n--to\n1' > corpus/command_line/seed-replay
printf 'test\none.md\n--json' > corpus/command_line/seed-test
printf 'check\ntiny\n--json' > corpus/command_line/seed-check
printf 'validate\nband\none.army\n--seat\nOne\n--with\npoints=4' > corpus/command_line/seed-validate
printf 'clauses\ntiny\n--json' > corpus/command_line/seed-clauses
printf 'exceptions\ntiny\nwalk\n--json' > corpus/command_line/seed-exceptions
printf 'simulate\nnowhere\n--games\n99999999999\n--seed\n1\n--threads\n2' > corpus/command_line/seed-simulate

# Games from bytes.
if [ ! -f corpus/in_step/seed-1 ]; then
  for i in $(seq 1 60); do
    head -c $((200 + i * 40)) /dev/urandom > "corpus/in_step/seed-$i"
  done
fi

# The words of each language.
words() { grep -oE '"[^" ]+"' "$1" | grep -v '\\' | sort -u; }
words ../grammar/law.pest > dict/rules.dict
words ../grammar/case.pest > dict/cases.dict
{ words ../grammar/case.pest; words ../grammar/record.pest; } | sort -u > dict/records.dict
cp dict/cases.dict dict/positions.dict
cp dict/cases.dict dict/lists.dict
printf '"id"\n"name"\n"ja"\n"row"\n"column"\n"high"\n"price"\n"kin"\n"over"\n"from"\n"to"\n"river"\n"line"\n"deep"\n"==== hexes.csv"\n"==== sides.csv"\n"==== clauses.tsv"\n"Water"\n"yes"\n' > dict/tables.dict
grep -rhoE 'pub? ?[a-z_]+:|--[a-z]+' ../src/cli | grep -oE '\-\-[a-z]+' | sort -u | sed 's/.*/"&"/' > dict/command_line.dict
printf '"check"\n"ask"\n"test"\n"validate"\n"replay"\n"clauses"\n"exceptions"\n"tiny"\n"one.position"\n"one.record"\n"one.md"\n"one.army"\n"band"\n' >> dict/command_line.dict
: > dict/in_step.dict
