@journey
Feature: Going back, and calling the tools of an agent
  What a command did in a sandbox can be taken back without losing anything; tools write down what they do.

  Background:
    Given a repository with a file "README.md"

  Scenario: A command is undone by the checkpoint before it
    When I run "cleveragents run --plan undo -- sh -c 'rm README.md; echo new > new.txt'"
    Then it ends with exit code 0
    When I run "cleveragents checkpoint list undo"
    Then it prints "pre_command"
    And it prints "post_command"
    When I roll back to checkpoint 1 of plan "undo"
    Then it ends with exit code 0
    And it prints "Restored 2 paths"
    When I run "cleveragents plan diff undo --stat"
    Then it prints "No changes."
    When I roll back to checkpoint 3 of plan "undo"
    And I run "cleveragents plan diff undo --stat"
    Then it prints "A new.txt"
    And it prints "D README.md"

  Scenario: A rollback can be looked at first
    When I run "cleveragents plan create look"
    And I run "cleveragents checkpoint create look --reason begin"
    And I run "cleveragents plan exec look -- sh -c 'echo more >> README.md'"
    And I rehearse going back to checkpoint 1 of plan "look"
    Then it ends with exit code 0
    And it prints "Would restore 1 path"
    And it prints "Nothing was changed"
    When I run "cleveragents plan diff look --stat"
    Then it prints "M README.md"

  Scenario: A path that nobody knows is not taken for one that is as it was
    When I run "cleveragents run --plan paths --keep -- sh -c 'echo new > new.txt'"
    And I roll back to checkpoint 2 of plan "paths" with "--path nope"
    Then it ends with exit code 4
    And it complains "nope"
    When I roll back to checkpoint 2 of plan "paths" with "--path nope --dry-run --json"
    Then it ends with exit code 4
    And it prints "ROLLBACK_PATH_UNKNOWN"
    When I run "cleveragents checkpoint list paths"
    Then it prints no "pre_rollback"
    When I roll back to checkpoint 2 of plan "paths" with "--path README.md"
    Then it ends with exit code 0
    And it prints "There is nothing to restore"

  Scenario: A state from before a refresh would undo what the project did since, and that is said
    When I run "cleveragents run --plan old --keep -- sh -c 'echo new > new.txt'"
    And I commit "mine" to "later.txt"
    And I run "cleveragents plan refresh old"
    And I roll back to checkpoint 2 of plan "old"
    Then it ends with exit code 0
    And it complains "older than the last `plan refresh`"
    When I run "cleveragents plan diff old --stat"
    Then it prints "D later.txt"

  Scenario: Nor does a correction go back behind a refresh without a word
    When I run "cleveragents plan create wrong"
    And I run "cleveragents checkpoint create wrong --decision D1"
    And I run "cleveragents plan exec wrong -- sh -c 'echo new > new.txt'"
    And I commit "mine" to "later.txt"
    And I run "cleveragents plan refresh wrong"
    And I run "cleveragents plan correct wrong --decision D1 --mode revert --guidance better"
    Then it ends with exit code 0
    And it complains "older than the last `plan refresh`"

  Scenario: An applied plan is not rolled back to a checkpoint
    When I run "cleveragents run --plan done --apply -- sh -c 'echo new > new.txt'"
    And I roll back to checkpoint 1 of plan "done"
    Then it ends with exit code 3
    And it complains "plan is already applied"

  Scenario: A sandbox that a cleaner took comes back from the last checkpoint
    When I run "cleveragents run --plan gone --keep -- sh -c 'rm README.md; echo new > new.txt'"
    And I commit "mine" to "later.txt"
    And a cleaner takes the sandbox of plan "gone"
    And I run "cleveragents plan restore gone"
    Then it ends with exit code 0
    And it prints "Its files are those of checkpoint"
    When I run "cleveragents plan diff gone --stat"
    Then it prints "A new.txt"
    And it prints "D README.md"
    And git finds nothing to complain of
    When I run "cleveragents plan apply gone"
    Then it ends with exit code 0
    And the repository has "later.txt" with "mine"
    And the repository has "new.txt" with "new"

  Scenario: The checkpoints of plans that are over can be let go of
    When I run "cleveragents run --plan over --apply -- sh -c 'echo new > new.txt'"
    And I run "cleveragents run --plan open --keep -- sh -c 'echo new > other.txt'"
    And I run "cleveragents checkpoint prune --over"
    Then it ends with exit code 0
    And it prints "Pruned 2 checkpoints of 1 plan, freed"
    When I run "cleveragents checkpoint list over --json"
    Then it prints one JSON object where "planId" is "over" and "checkpoints" is ""
    When I run "cleveragents checkpoint list open"
    Then it prints "post_command"
    When I run "cleveragents checkpoint prune open --over"
    Then it ends with exit code 2

  Scenario: A plan begins again from a checkpoint of its choice
    When I run "cleveragents run --plan again --keep -- sh -c 'echo new > new.txt'"
    And I run "cleveragents plan cleanup again"
    And I restore plan "again" from its checkpoint 1
    Then it ends with exit code 0
    When I run "cleveragents plan diff again --stat"
    Then it prints "No changes."
    When I restore plan "again" from its checkpoint 2
    Then it ends with exit code 3
    When I run "cleveragents plan restore again --from HEAD --checkpoint 01"
    Then it ends with exit code 2

  Scenario: A tool's work is written down, and what no tool did is shown beside it
    When I run "cleveragents plan create tools"
    And I run "cleveragents tool call --plan tools builtin/file-write '{\"path\":\"a.txt\",\"content\":\"hello\"}' --checkpoint pre_write"
    Then it ends with exit code 0
    And it prints "created"
    When I run "cleveragents plan exec tools -- sh -c 'echo shell > b.txt'"
    And I run "cleveragents plan show tools"
    Then it prints "1 change recorded: 1 create"
    And it prints "b.txt (no tool touched it)"
    When I run "cleveragents checkpoint list tools"
    Then it prints "pre_write"
    And the repository has no "a.txt"

  Scenario: A tool stays inside the sandbox
    When I run "cleveragents plan create inside"
    And I run "cleveragents tool call --plan inside builtin/file-read '{\"path\":\"../../etc/passwd\"}'"
    Then it ends with exit code 3
    And it prints "PATH_TRAVERSAL"

  Scenario: Six tools are there to call
    When I run "cleveragents tool list --json"
    Then it ends with exit code 0
    And it prints "builtin/file-read"
    And it prints "builtin/file-search"

  Scenario: An unknown checkpoint is not found
    When I run "cleveragents checkpoint show 01NOSUCHCHECKPOINT"
    Then it ends with exit code 4
    And it complains "not found"
