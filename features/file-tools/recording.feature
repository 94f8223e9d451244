Feature: Recording what tools do
  A change set says what each call did to which file, so that nothing the agent did is left to guessing.

  Scenario: A written file is recorded
    Given calls are recorded for plan "plan-001"
    When the agent writes "content" to "new.txt"
    Then the record holds "create new.txt"

  Scenario: An edit is recorded
    Given the file "cs-edit.txt" holds "hello world"
    And calls are recorded for plan "plan-002"
    When the agent replaces "hello" by "goodbye" in "cs-edit.txt"
    Then the record holds "modify cs-edit.txt"

  Scenario: A deletion is recorded
    Given the file "cs-delete.txt" holds "bye"
    And calls are recorded for plan "plan-003"
    When the agent deletes "cs-delete.txt"
    Then the record holds "delete cs-delete.txt"

  Scenario: What changed nothing is not recorded
    Given the file "same.txt" holds "same"
    And calls are recorded for plan "plan-000"
    When the agent writes "same" to "same.txt"
    And the agent reads "same.txt"
    And the agent deletes "ghost.txt"
    And the agent writes "x" to "../out.txt"
    Then the record is empty

  Scenario: A record sums up
    Given the file "old.txt" holds "old"
    And calls are recorded for plan "plan-004"
    When the agent writes "one" to "one.txt"
    And the agent writes "two" to "two.txt"
    And the agent replaces "one" by "1" in "one.txt"
    And the agent deletes "old.txt"
    Then the record sums up as "4 changes recorded: 2 create, 1 modify, 1 delete"

  Scenario: A record can be cleared
    Given calls are recorded for plan "plan-005"
    When the agent writes "content" to "new.txt"
    And the record is cleared
    Then the record is empty

  Scenario: An empty record says so
    Given calls are recorded for plan "plan-empty"
    Then the record sums up as "No changes recorded"

  Scenario: An entry tells the file before from the file after
    Given the file "hash-test.txt" holds "original"
    And calls are recorded for plan "plan-hash"
    When the agent replaces "original" by "changed" in "hash-test.txt"
    Then the entry has one hash for before and another for after

  Scenario: A new file of an unknown tool is a creation
    Given calls are recorded for plan "plan-fallback"
    When a tool that nobody knows writes "content" to "new.txt"
    Then the record holds "create new.txt"

  Scenario: A file that an unknown tool overwrites is a modification
    Given the file "existing-cs.txt" holds "some content"
    And calls are recorded for plan "plan-modify-fallback"
    When a tool that nobody knows writes "other content" to "existing-cs.txt"
    Then the record holds "modify existing-cs.txt"

  Scenario: What was undone comes to nothing
    Given the file "back.txt" holds "a"
    And calls are recorded for plan "plan-net"
    When the agent writes "x" to "brief.txt"
    And the agent deletes "brief.txt"
    And the agent replaces "a" by "b" in "back.txt"
    And the agent replaces "b" by "a" in "back.txt"
    And the agent writes "stays" to "stays.txt"
    Then the record holds "create brief.txt, delete brief.txt, modify back.txt, modify back.txt, create stays.txt"
    And the record comes to "create stays.txt"

  Scenario: A change through a link is recorded where it happened
    Given the file "real.txt" holds "old"
    And the link "link.txt" leads to "real.txt"
    And calls are recorded for plan "plan-link"
    When the agent replaces "old" by "new" in "link.txt"
    And the agent deletes "link.txt"
    Then the record holds "modify real.txt, delete link.txt"

  Scenario: What no call explains is shown
    Given calls are recorded for plan "plan-rest"
    When the agent writes "x" to "mine.txt"
    Then of the tree differences "mine.txt, by-shell.txt" no call explains "by-shell.txt"

  Scenario: The six tools are registered
    Given an empty registry
    When the file tools are registered
    Then the registry holds exactly "builtin/file-read, builtin/file-write, builtin/file-edit, builtin/file-delete, builtin/file-list, builtin/file-search"

  Scenario: The six tools are registered with a record
    Given an empty registry
    When the file tools are registered with a record for plan "plan-reg"
    Then the registry holds exactly "builtin/file-read, builtin/file-write, builtin/file-edit, builtin/file-delete, builtin/file-list, builtin/file-search"
