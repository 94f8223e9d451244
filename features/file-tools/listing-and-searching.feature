Feature: Listing and searching
  An agent finds its way, without being led out of its sandbox.

  Scenario: A directory is listed in order
    Given the file "b.py" holds "b"
    And the file "a.txt" holds "a"
    And the directory "sub"
    When the agent lists "."
    Then the list is "a.txt, b.py, sub"
    And the list shows "sub" as "directory"

  Scenario: Only files that match a pattern are listed
    Given the file "a.txt" holds "a"
    And the file "b.py" holds "b"
    And the directory "c.txt"
    When the agent lists the files "*.txt" in "."
    Then the list is "a.txt"

  Scenario: Everything below a directory is listed
    Given the file "sub/deep.txt" holds "deep"
    When the agent lists everything below "."
    Then the list is "sub, sub/deep.txt"

  Scenario: What git ignores can be left out
    Given the file ".gitignore" holds "build/\n*.log\n!keep.log\n"
    And the file "build/out.js" holds "x"
    And the file "debug.log" holds "x"
    And the file "keep.log" holds "x"
    When the agent lists everything below "." that git does not ignore
    Then the list is ".gitignore, keep.log"

  Scenario: A file cannot be listed
    Given the file "notadir.txt" holds "x"
    When the agent lists "notadir.txt"
    Then the tool refuses, and mentions "not a directory"

  Scenario: The lines that match are found
    Given the file "haystack.txt" holds "hay\nneedle in a haystack\n"
    When the agent searches "." for "need.e"
    Then the matches are "haystack.txt:2:1"
    And the first match shows "needle in a haystack"

  Scenario: Files below directories are searched too
    Given the directory "empty"
    And the file "subdir/content.txt" holds "findme"
    When the agent searches "." for "findme"
    Then the matches are "subdir/content.txt:1:1"

  Scenario: There can be too many matches
    Given the file "many.txt" holds "match\nmatch\nmatch\nmatch\nmatch"
    When the agent searches "." for "match" and wants 2 at most
    Then the matches are "many.txt:1:1, many.txt:2:1"
    And there are more matches

  Scenario: A pattern is an expression, or plain words
    Given the file "code.ts" holds "a.b\naxb\n"
    When the agent searches "." for "a.b"
    Then the matches are "code.ts:1:1, code.ts:2:1"
    When the agent searches "." for the words "a.b"
    Then the matches are "code.ts:1:1"

  Scenario: Words that look like a flag are words
    Given the file "notes.txt" holds "use --files here"
    When the agent searches "." for the words "--files"
    Then the matches are "notes.txt:1:5"

  Scenario: A file cannot be searched as a directory
    Given the file "notadir.txt" holds "x"
    When the agent searches "notadir.txt" for "x"
    Then the tool refuses, and mentions "not a directory"

  Scenario: What is no expression is refused
    When the agent searches "." for "(unclosed"
    Then the tool refuses with "PATTERN_INVALID"
    And the hint mentions "literal"

  Scenario: Neither git's own files nor other work trees are searched
    Given the file ".git/config" holds "needle"
    And the file "nested/.git" holds "gitdir: elsewhere"
    And the file "nested/file.txt" holds "needle"
    And the file "file.txt" holds "needle"
    When the agent searches "." for the words "needle"
    Then the matches are "file.txt:1:1"
