Feature: Rolling a sandbox back
  An operator returns to a checkpoint, and nothing that no checkpoint holds is ever lost on the way.

  Scenario: A rollback brings the files back
    Given plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" has a sandbox
    And the file "notes" of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" reads "before"
    And a recorded checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state "commit-abc"
    And the file "notes" of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" reads "after"
    When I roll plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" back to it
    Then the rollback succeeds
    And it names "notes" as restored
    And the file "notes" of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" holds "before"

  Scenario: A result counts what was restored
    Given the result of a rollback to "01ARZ3NDEKTSV4RRFFQ69G5FAV" that restored 3 files
    Then the result counts 3 restored files
    And the result comes from "01ARZ3NDEKTSV4RRFFQ69G5FAV"

  Scenario: An applied plan is not rolled back
    Given plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" is marked as applied
    And a recorded checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state "commit-abc"
    When I roll plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" back to it
    Then the rollback is refused with "plan is already applied"

  Scenario: A plan without a sandbox is not rolled back
    Given a recorded checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state "commit-abc"
    When I roll plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" back to it
    Then the rollback is refused with "sandbox is missing"

  Scenario: A sandbox that was unregistered is missing
    Given plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" has a sandbox
    And a recorded checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state "commit-abc"
    And the sandbox of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" is unregistered
    When I roll plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" back to it
    Then the rollback is refused with "sandbox is missing"

  Scenario: There is no way back to a checkpoint that does not exist
    Given plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" has a sandbox
    When I roll plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" back to the checkpoint "01NONEXISTENT0000000000000"
    Then it is not found

  Scenario: A plan is not rolled back to another plan's checkpoint
    Given plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" has a sandbox
    And a recorded checkpoint of plan "01KJGSHD2JKTFZGGBT6FRQD2W2" for the state "commit-other"
    When I roll plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" back to it
    Then the rollback is refused with "does not belong to plan"

  Rule: The service that owns the plans has the last word

    Scenario: It says that the plan is applied
      Given the owner of plans says that plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" is applied
      And a recorded checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state "commit-abc"
      When I roll plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" back to it
      Then the rollback is refused with "plan is already applied"

    Scenario: It knows of no sandbox
      Given the owner of plans says that plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" has no sandbox
      And a recorded checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state "commit-abc"
      When I roll plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" back to it
      Then the rollback is refused with "sandbox is missing"

    Scenario: It knows where the sandbox is
      Given the owner of plans says where the sandbox of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" is
      And the file "notes" of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" reads "before"
      And a recorded checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state "commit-abc"
      And the file "notes" of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" reads "after"
      When I roll plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" back to it
      Then the rollback succeeds
      And it names "notes" as restored

  Rule: Nothing is lost

    Background:
      Given plan "careful" has a sandbox
      And the file "notes" of plan "careful" reads "before"

    Scenario: A rollback can itself be rolled back
      Given a captured checkpoint of plan "careful"
      And the file "notes" of plan "careful" reads "after"
      And the file "new" of plan "careful" reads "new"
      When I roll plan "careful" back to it
      And I roll plan "careful" back to the safety checkpoint
      Then the file "notes" of plan "careful" holds "after"
      And the file "new" of plan "careful" holds "new"

    Scenario: What no checkpoint holds stays, and is named
      Given the file ".env" of plan "careful" is ignored
      And the file ".env" of plan "careful" reads "secret"
      And a captured checkpoint of plan "careful"
      And the file ".env" of plan "careful" reads "another secret"
      When I roll plan "careful" back to it
      Then the file ".env" of plan "careful" holds "another secret"
      And it names ".env" as kept: "ignored"

    Scenario: What was ignored at the checkpoint stays although it is not ignored any more
      Given the file ".env" of plan "careful" is ignored
      And the file ".env" of plan "careful" reads "secret"
      And a captured checkpoint of plan "careful"
      And nothing of plan "careful" is ignored
      When I roll plan "careful" back to it
      Then the file ".env" of plan "careful" holds "secret"
      And it names ".env" as kept: "not-covered-then"

    Scenario: A rehearsal changes nothing
      Given a captured checkpoint of plan "careful"
      And the file "notes" of plan "careful" reads "after"
      When I rehearse rolling plan "careful" back to it
      Then it names "notes" as restored
      And the file "notes" of plan "careful" holds "after"
      And plan "careful" has 1 checkpoint

    Scenario: A lost sandbox comes back
      Given a captured checkpoint of plan "careful"
      And the sandbox of plan "careful" was emptied
      When I restore the sandbox of plan "careful"
      Then the file "notes" of plan "careful" holds "before"
